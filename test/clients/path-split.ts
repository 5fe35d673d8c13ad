/**
 * One address for a PuppetDB, which keeps facts and catalogs, and the service: nginx as docs/how-to/move-from-puppetdb.md
 * configures it. PUPPETDB names a real one, such as http://127.0.0.1:8080; without it an imitated one says that it was asked.
 */

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { startService } from '../../worker/local/service.ts'
import { EMPTY_ENTITIES } from '../../worker/schema/entities.ts'
import { freePort } from '../free-port.ts'
import { execute } from './command.ts'
import { expect, expectSame } from './compare.ts'
import { startNginx, untilListening } from './proxies.ts'
import { CLOSED, TOKEN } from './site.ts'
import type { Steps } from './steps.ts'
import type { Workplace } from './workplace.ts'

const NODE = 'db1.example.com'
const FACT = { certname: NODE, name: 'kernel', value: 'Linux', environment: 'production' }

/** Paths below /pdb/query/v4 that the service answers. */
const HERE: readonly string[] = [
  ...['nodes', `nodes/${NODE}`, 'environments', 'producers', 'reports', 'events'],
  ...['event-counts?summarize_by=certname', `nodes/${NODE}/reports`, 'environments/facts/reports'],
]
/** And PuppetDB: every entity that the service doesn't store, and what clients ask below it. */
const THERE: readonly string[] = [
  ...[...EMPTY_ENTITIES].map((name) => name.replaceAll('_', '-')),
  ...['facts/kernel', 'facts/kernel/Linux', `catalogs/${NODE}`, `factsets/${NODE}`],
  ...[`nodes/${NODE}/facts`, `nodes/${NODE}/resources/File/%2Fetc%2Fmotd`],
  ...['environments/production/facts', 'facts?query=%5B%22%3D%22%2C%22name%22%2C%22kernel%22%5D'],
]

interface Answered {
  readonly status: number
  readonly text: string
}

/** @param root folder of the project @param python that has pypuppetdb, if there is one */
export async function splitPaths(
  steps: Steps,
  workplace: Workplace,
  { root, scripts, python }: { root: string; scripts: string; python: string | undefined },
): Promise<void> {
  const service = await startService({
    ...{ root, host: '127.0.0.1', port: 0, data: null },
    settings: CLOSED,
  })
  workplace.defer(service.stop)
  const seen: string[] = []
  const puppetDb = process.env['PUPPETDB'] ?? (await imitatePuppetDb(workplace, seen))
  const port = await freePort()
  const page = await readFile(join(root, 'docs/how-to/move-from-puppetdb.md'), 'utf8')
  const block = /```nginx\n([^`]*\n)```/
    .exec(page)![1]!
    .replaceAll('127.0.0.1:8787', new URL(service.url).host)
    .replaceAll('127.0.0.1:8080', new URL(puppetDb).host)
  const place = { name: 'path-split', block, port, service: service.url }
  const running = await startNginx(workplace, place)
  if (running === null)
    return steps.skip('PuppetDB and the service over nginx: it is not installed')

  const bearer = { authorization: `Bearer ${TOKEN.text}` }
  await storeRun(service.url, root, bearer)
  if (process.env['PUPPETDB'] !== undefined) await storeFacts(puppetDb)
  const overNginx = (path: string, headers = {}): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, rejectUnauthorized: false, headers }
      const sent = request({ ...options, path: `/pdb/query/v4/${path}` }, (answer) => {
        void textOf(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }))
      })
      sent.on('error', reject)
      sent.end()
    })
  const direct = async (base: string, path: string, headers = {}): Promise<Answered> => {
    const answer = await fetch(`${base}/pdb/query/v4/${path}`, { headers })
    return { status: answer.status, text: await answer.text() }
  }

  await steps.step('PuppetDB and the service over nginx: each answers what it keeps', async () => {
    await untilListening(running, () => overNginx('nodes'))
    for (const path of HERE)
      expectSame(path, await overNginx(path, bearer), await direct(service.url, path, bearer))
    for (const path of THERE)
      expectSame(path, await overNginx(path, bearer), await direct(puppetDb, path))
    const facts = JSON.parse((await overNginx('facts/kernel', bearer)).text) as object[]
    expectSame('a fact of PuppetDB', facts, [FACT])
    expect((await overNginx('reports', bearer)).text.includes(NODE), 'no report came from here')
  })
  await steps.step(
    'PuppetDB and the service over nginx: nobody reads without a token',
    async () => {
      seen.length = 0
      for (const path of ['facts', `nodes/${NODE}/facts`, 'nodes'])
        expectSame(path, (await overNginx(path)).status, 401)
      expectSame('asked of PuppetDB', seen, [])
      await overNginx('facts', bearer)
      expectSame(
        'tokens that PuppetDB was sent',
        seen.filter((one) => one.includes(TOKEN.text)),
        [],
      )
    },
  )
  if (python === undefined) return
  await steps.step('PuppetDB and the service over nginx: pypuppetdb reads both', async () => {
    const script = join(scripts, 'pypuppetdb-checks/path_split.py')
    const { output, errors } = await execute(python, ['-B', script, String(port), TOKEN.text])
    expectSame(`what pypuppetdb reads (${errors.trim()})`, output.trim().split('\n'), [
      `node ${NODE} failed`,
      `fact ${NODE} kernel Linux`,
      `fact of the node ${NODE} kernel Linux`,
    ])
  })
}

/** Answers every request with a fact, and notes its path and credentials. */
async function imitatePuppetDb(workplace: Workplace, seen: string[]): Promise<string> {
  const server = createServer(({ url, headers }, response) => {
    seen.push(`${url} ${headers.authorization} ${String(headers['x-authentication'])}`)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify([FACT]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  workplace.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function storeRun(url: string, root: string, bearer: object): Promise<void> {
  const time = new Date().toISOString()
  const report = JSON.parse(
    await readFile(join(root, 'test/fixtures/failed-run.json'), 'utf8'),
  ) as object
  const run = { certname: NODE, status: 'failed' }
  const times = { producer_timestamp: time, start_time: time, end_time: time }
  await command(url, 'store_report&version=8', { ...report, ...run, ...times }, bearer)
}

/** A fact of the node, which PuppetDB stores some moments later. */
async function storeFacts(url: string): Promise<void> {
  await command(url, 'replace_facts&version=5', {
    ...{ certname: NODE, environment: FACT.environment, values: { kernel: FACT.value } },
    ...{ producer_timestamp: new Date().toISOString(), producer: 'puppet.example.com' },
  })
  for (;;) {
    const rows = await fetch(`${url}/pdb/query/v4/facts/kernel`)
    if ((await rows.text()).includes(NODE)) return
  }
}

async function command(url: string, query: string, body: object, headers = {}): Promise<void> {
  const { ok, status } = await fetch(`${url}/pdb/cmd/v1?certname=${NODE}&command=${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  expect(ok, `the command was answered ${status}`)
}
