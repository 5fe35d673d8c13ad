/** A fleet's reports over plain HTTP, all of them twice: the second time changes nothing. */

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sampleFleet } from '../../worker/local/fleet/sample-fleet.ts'
import { execute } from './command.ts'
import { expectSame } from './compare.ts'
import { ask, type Row } from './query.ts'
import type { Steps } from './steps.ts'

interface Fleet {
  readonly name: string
  readonly size: number
  /** Sends all commands, and gives how many were accepted. */
  readonly send: (url: string) => Promise<number>
}

/** Loads the fleet twice. */
export async function loadTwice(steps: Steps, root: string, url: string): Promise<void> {
  const fleet = (await sharedCorpus(root)) ?? ownFleet()
  const before = await countReports(url)
  let rows: StoredRows | undefined
  await steps.step(`${fleet.name} over plain HTTP: all accepted and stored`, async () => {
    expectSame('accepted', await fleet.send(url), fleet.size)
    expectSame('reports stored', (await countReports(url)) - before, fleet.size)
    rows = await readRows(url)
    return `${fleet.size}`
  })
  await steps.step(`${fleet.name} once more: accepted again, and nothing changes`, async () => {
    if (rows === undefined) throw new Error('the first time did not go well')
    expectSame('accepted', await fleet.send(url), fleet.size)
    expectSame('rows', await readRows(url), rows)
    return `${rows.reports.length} reports, ${rows.nodes.length} nodes compared`
  })
}

/** The recorded corpus with its own loader, where it lies beside the repository. */
async function sharedCorpus(root: string): Promise<Fleet | undefined> {
  const loader = join(root, '../shared/corpus/load.mjs')
  const file = join(root, '../shared/corpus/small.ndjson')
  if (!existsSync(loader) || !existsSync(file)) return undefined
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return {
    name: 'small.ndjson',
    size: lines.length,
    async send(url) {
      const { output, errors } = await execute(process.execPath, [
        ...[loader, `${url}/pdb`, file],
        ...['--gzip', '--concurrency', '4'],
      ])
      const accepted = /accepted (\d+), refused 0,/.exec(output)?.[1]
      if (accepted === undefined) throw new Error(`the loader says: ${output}${errors}`)
      return Number(accepted)
    },
  }
}

/** The sample fleet of `npm start`, for a repository that stands alone. */
function ownFleet(): Fleet {
  const commands = [...sampleFleet(new Date())]
  return {
    name: 'the sample fleet',
    size: commands.length,
    async send(url) {
      let accepted = 0
      for (const { command, version, certname, payload } of commands) {
        const address = new URL('/pdb/cmd/v1', url)
        address.search = new URLSearchParams({
          command,
          version: String(version),
          certname,
        }).toString()
        const response = await fetch(address, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
          body: gzipSync(JSON.stringify(payload)),
        })
        await response.text()
        if (response.ok) accepted++
      }
      return accepted
    },
  }
}

interface StoredRows {
  readonly reports: readonly Row[]
  readonly events: readonly Row[]
  readonly nodes: readonly Row[]
}

/** All there is, receive times included. Reports of plans are counted only when asked for. */
const readRows = async (url: string): Promise<StoredRows> => ({
  reports: await ask(url, '/reports', { query: ANY_TYPE, order_by: [{ field: 'hash' }] }),
  events: await ask(url, '/events', { query: COUNT }),
  nodes: await ask(url, '/nodes', { order_by: [{ field: 'certname' }] }),
})

async function countReports(url: string): Promise<number> {
  const [row] = await ask(url, '/reports', { query: [...COUNT, ANY_TYPE] })
  return Number(row?.['count'])
}

const ANY_TYPE = ['=', 'type', 'any']
const COUNT = ['extract', [['function', 'count']]]
