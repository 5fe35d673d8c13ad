/** A fleet's reports over plain HTTP, all of them twice: the second time changes nothing. */

import { gzipSync } from 'node:zlib'
import { sampleFleet } from '../../tools/fleet/sample-fleet.ts'
import { expectSame } from './compare.ts'
import { ask, headersFor, type Row, type Target } from './query.ts'
import type { Steps } from './steps.ts'

interface Fleet {
  readonly name: string
  readonly size: number
  /** Sends all commands, and gives how many were accepted. */
  readonly send: (target: Target) => Promise<number>
}

/** Loads the fleet twice. */
export async function loadTwice(steps: Steps, target: Target): Promise<void> {
  const fleet = ownFleet()
  const before = await countReports(target)
  let rows: StoredRows | undefined
  await steps.step(`${fleet.name} over plain HTTP: all accepted and stored`, async () => {
    expectSame('accepted', await fleet.send(target), fleet.size)
    expectSame('reports stored', (await countReports(target)) - before, fleet.size)
    rows = await readRows(target)
    return `${fleet.size}`
  })
  await steps.step(`${fleet.name} once more: accepted again, and nothing changes`, async () => {
    if (rows === undefined) throw new Error('the first time did not go well')
    expectSame('accepted', await fleet.send(target), fleet.size)
    expectSame('rows', await readRows(target), rows)
    return `${rows.reports.length} reports, ${rows.nodes.length} nodes compared`
  })
}

/** The sample fleet of `npm start`. */
function ownFleet(): Fleet {
  const commands = [...sampleFleet(new Date())]
  return {
    name: 'the sample fleet',
    size: commands.length,
    async send(target) {
      let accepted = 0
      for (const { command, version, certname, payload } of commands) {
        const address = new URL('/pdb/cmd/v1', target.url)
        address.search = new URLSearchParams({
          command,
          version: String(version),
          certname,
        }).toString()
        const response = await fetch(address, {
          method: 'POST',
          headers: {
            ...headersFor(target),
            'content-type': 'application/json',
            'content-encoding': 'gzip',
          },
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
const readRows = async (target: Target): Promise<StoredRows> => ({
  reports: await ask(target, '/reports', { query: ANY_TYPE, order_by: [{ field: 'hash' }] }),
  events: await ask(target, '/events', { query: COUNT }),
  nodes: await ask(target, '/nodes', { order_by: [{ field: 'certname' }] }),
})

async function countReports(target: Target): Promise<number> {
  const [row] = await ask(target, '/reports', { query: [...COUNT, ANY_TYPE] })
  return Number(row?.['count'])
}

const ANY_TYPE = ['=', 'type', 'any']
const COUNT = ['extract', [['function', 'count']]]
