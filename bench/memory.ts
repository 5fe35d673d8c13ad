/** Measures what a fresh process adds to its memory, and the time it takes, for the first answers about a database with long dictionaries. */

import { startService, type Service } from '../worker/local/service.ts'
import { event, report, resource } from '../test/worker/reports.ts'
import { inFolder } from './folder.ts'
import { memoryOfTree } from './host/usage.ts'
import { readOptions } from './options.ts'
import { probeOf } from './probe.ts'
import { tell } from './progress.ts'
import { circumstances, printTable, writeJson } from './table.ts'

const MEGABYTE = 1e6
const NODES = '/pdb/query/v4/nodes?limit=1'
const ANY_TITLE = `/pdb/query/v4/events?limit=1&query=${encodeURIComponent('["~","resource_title","."]')}`

const options = readOptions(
  { strings: 1_000_000, resources: 300_000, samples: 5, json: null },
  'bench:memory -- [--strings 1000000] [--resources 300000] [--samples 5] [--json FILE]',
)

interface Sample {
  readonly milliseconds: number
  /** Added by the answer, of all processes. */
  readonly bytes: number
}

const start = (data: string): Promise<Service> =>
  startService({
    root: process.cwd(),
    host: '127.0.0.1',
    port: 0,
    data,
    probed: true,
    settings: { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0' },
  })

async function on(data: string, work: (service: Service) => Promise<void>): Promise<void> {
  const service = await start(data)
  try {
    await work(service)
  } finally {
    await service.stop()
  }
}

/** A process that has answered nothing but its version gets one request. */
async function sample(data: string, path: string): Promise<Sample> {
  let taken: Sample | null = null
  await on(data, async (service) => {
    await (await fetch(`${service.url}/pdb/meta/v1/version`)).text()
    const pid = service.runtimePid()!
    const before = memoryOfTree(pid).resident
    const begun = performance.now()
    const response = await fetch(service.url + path)
    await response.arrayBuffer()
    const milliseconds = performance.now() - begun
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}.`)
    taken = { milliseconds, bytes: memoryOfTree(pid).resident - before }
  })
  return taken!
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!

async function measured(what: string, data: string, path: string) {
  tell(what)
  const samples: Sample[] = []
  for (let n = 0; n < options.samples; n++) samples.push(await sample(data, path))
  return {
    what,
    milliseconds: median(samples.map(({ milliseconds }) => milliseconds)),
    bytes: median(samples.map(({ bytes }) => bytes)),
  }
}

const submit = async (service: Service, payload: Record<string, unknown>): Promise<void> => {
  const query = `command=store_report&version=8&certname=${String(payload['certname'])}`
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(payload) }
  const response = await fetch(`${service.url}/pdb/cmd/v1?${query}`, init)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
}

const COUNT = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)'

/** Names of 90 characters, no two alike. */
const NAME = "printf('%090d', i)"

const longName = (length: number, ...parts: readonly number[]): string =>
  parts.join('-').padEnd(length, 'x')

/** Four uploads, as of a hostile sender: 60 events with names of the longest size allowed. */
const hostile = (upload: number) =>
  report({
    certname: 'web1',
    transaction_uuid: null,
    configuration_version: String(upload),
    resources: Array.from({ length: 60 }, (_, n) =>
      resource({
        resource_title: longName(4096, upload, n),
        file: longName(4096, n, upload),
        events: [
          event({ property: longName(1024, upload, n), name: longName(1024, upload, n, 1) }),
        ],
      }),
    ),
  })

const rows = await inFolder('memory', async (data) => {
  const found = []
  await on(data, (service) => submit(service, report({ certname: 'web1' })))
  found.push(await measured('one report; first nodes?limit=1', data, NODES))
  await on(data, async (service) => {
    for (const upload of [1, 2, 3, 4]) await submit(service, hostile(upload))
  })
  found.push(await measured('four uploads of 60 events with the longest names', data, NODES))
  await on(data, async (service) => {
    const probe = probeOf(service)
    const strings = `${COUNT} insert into strings (kind, value, used) select 6, ${NAME}, 0 from n`
    await probe([{ sql: strings, params: [options.strings] }])
    const resources = `${COUNT} insert into resources (type, title, path, used) select 'File', ${NAME}, '', 0 from n`
    await probe([{ sql: resources, params: [options.resources] }])
  })
  found.push(await measured(`${options.strings} strings of 90 characters`, data, NODES))
  found.push(await measured(`title ~ "." over ${options.resources} resources`, data, ANY_TITLE))
  return found
})

console.log(`A fresh process: median of ${options.samples}\n`)
printTable(
  ['', 'ms', 'MB added'],
  rows.map(({ what, milliseconds, bytes }) => [what, milliseconds, bytes / MEGABYTE]),
)
await writeJson(options.json, { ...circumstances(), options, rows })
