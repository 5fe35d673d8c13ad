/** Readers answer what only reads, see all that was acknowledged, and leave writes to the process that writes. */

import { connect } from 'node:net'
import { getPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'
import { runtimesOf } from './processes.ts'
import { resource } from '../worker/reports.ts'
import { sendReport } from './send-report.ts'
import { until } from './until.ts'

let service: Service
const troubles: string[] = []
beforeAll(async () => {
  service = await startLocalService(
    {},
    { readers: 2, onLine: () => undefined, onTrouble: (sentence) => troubles.push(sentence) },
  )
})
afterAll(() => service.stop())

const certnames = async (signal: AbortSignal | null = null): Promise<string[]> => {
  const response = await fetch(`${service.url}/pdb/query/v4/nodes`, { signal })
  return (await response.json<{ certname: string }[]>()).map(({ certname }) => certname)
}

/** Process ids of the readers: all of workerd's processes but the one that writes. */
const readers = (): number[] =>
  runtimesOf(process.pid).filter((pid) => pid !== service.runtimePid())

/** Stops all readers, of which one is ready: nothing else answers while the process that writes stands still. */
const stopReaders = async (): Promise<number[]> => {
  await until(() => expect(readers()).not.toEqual([]))
  const writer = service.runtimePid()!
  process.kill(writer, 'SIGSTOP')
  try {
    await until(() => fetch(service.url, { signal: AbortSignal.timeout(500) }))
  } finally {
    process.kill(writer, 'SIGCONT')
  }
  const stopped = readers()
  for (const reader of stopped) process.kill(reader, 'SIGSTOP')
  return stopped
}

it('see each report as soon as it is acknowledged', async () => {
  for (let n = 0; n < 20; n++) {
    expect(await sendReport(service.url, `node${n}`)).toBe(200)
    expect(await certnames()).toContain(`node${n}`)
  }
})

it('see one state of the database, however many statements a query takes', async () => {
  const newest = new URLSearchParams({
    order_by: '[{"field":"receive_time","order":"desc"}]',
    limit: '20',
  })
  const numbersOfEvents = async (): Promise<number[]> => {
    const response = await fetch(`${service.url}/pdb/query/v4/reports?${newest}`)
    const reports = await response.json<{ resource_events: { data: unknown[] | null } }[]>()
    return reports.map(({ resource_events: { data } }) => data?.length ?? 0)
  }
  const changed = { status: 'changed', resources: [resource()] }
  let sent = 0
  const send = async (): Promise<void> => {
    while (sent < 600) expect(await sendReport(service.url, `changed${sent++}`, changed)).toBe(200)
  }
  for (let n = 0; n < 20; n++) await sendReport(service.url, `first${n}`, changed)
  const seen = new Set<number>()
  const ask = async (): Promise<void> => {
    while (sent < 600) for (const events of await numbersOfEvents()) seen.add(events)
  }
  await Promise.all([send(), send(), send(), send(), ask(), ask()])
  expect([...seen]).toEqual([1])
})

it('know how large the database has become', async () => {
  const bytes = async (): Promise<number> => {
    const response = await fetch(`${service.url}/pdb/admin/v1/summary-stats`)
    const [usage] = (await response.json<{ database_usage: { bytes: number }[] }>()).database_usage
    return usage!.bytes
  }
  const before = await bytes()
  const resources = Array.from({ length: 2000 }, (_, n) =>
    resource({ resource_title: `/srv/${n}` }),
  )
  await sendReport(service.url, 'large', { resources })
  expect(await bytes()).toBeGreaterThan(before)
})

it('answer while the process that writes stands still', async () => {
  // A reader that is still starting needs the process that writes once more.
  await until(async () => {
    const writer = service.runtimePid()!
    process.kill(writer, 'SIGSTOP')
    try {
      expect(await certnames(AbortSignal.timeout(2000))).toContain('node0')
    } finally {
      process.kill(writer, 'SIGCONT')
    }
  })
})

it.each([
  ['whose path is spelt oddly', '/pdb/%71uery/v4', ''],
  ['that is large', '/pdb/query/v4', ' '.repeat(1_100_000)],
])('answer a posted query %s: the process that writes can end none', async (_, path, blanks) => {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `${blanks}{"query":"nodes[certname] {}"}`,
    signal: AbortSignal.timeout(2000),
  }
  // A reader that is still starting needs the process that writes once more.
  await until(async () => {
    const writer = service.runtimePid()!
    process.kill(writer, 'SIGSTOP')
    try {
      expect((await fetch(service.url + path, init)).status).toBe(200)
    } finally {
      process.kill(writer, 'SIGCONT')
    }
  })
})

it('give way to the process that writes, where CPU is short', async () => {
  const [reader] = await until(() => {
    expect(readers()).not.toEqual([])
    return readers()
  })
  // A greater nice value is a smaller share.
  expect(getPriority(reader)).toBe(getPriority(service.runtimePid()!) + 5)
})

it('that are killed are replaced, and the service says so', async () => {
  const [reader] = await until(() => {
    expect(readers()).not.toEqual([])
    return readers()
  })
  process.kill(reader!, 'SIGKILL')
  expect(await certnames()).toContain('node0')
  await until(() => expect(troubles.join()).toContain('The reader (workerd) ended unexpectedly'))
  await until(() => expect(readers()).not.toEqual([]))
})

describe('a reader that hangs', () => {
  it('is ended when the time of its query is over; reports are stored meanwhile, and the next query is answered', async () => {
    await stopReaders()
    // Also one that starts meanwhile.
    const stopping = setInterval(() => {
      for (const reader of readers()) process.kill(reader, 'SIGSTOP')
    }, 5)
    const late = fetch(`${service.url}/pdb/query/v4/nodes?timeout=2`)
    expect(await sendReport(service.url, 'meanwhile')).toBe(200)
    const response = await late
    clearInterval(stopping)
    for (const reader of readers()) process.kill(reader, 'SIGKILL')
    expect([response.status, await response.text(), response.headers.get('retry-after')]).toEqual([
      503,
      'The query exceeded its timeout of 2 seconds.',
      '5',
    ])
    expect(await certnames()).toContain('meanwhile')
  })

  it('is ended when its client leaves', async () => {
    const stopped = await stopReaders()
    const signal = AbortSignal.timeout(200)
    await expect(fetch(`${service.url}/pdb/query/v4/nodes`, { signal })).rejects.toThrow()
    const left = (): number[] => readers().filter((pid) => stopped.includes(pid))
    await until(() => expect(left().length).toBeLessThan(stopped.length))
    for (const reader of left()) process.kill(reader, 'SIGKILL')
    expect(await certnames()).toContain('node0')
  })

  it('is ended where its client has closed its sending side, and the client is told', async () => {
    const stopped = await stopReaders()
    const { hostname, port } = new URL(service.url)
    const client = connect(Number(port), hostname)
    client.end('GET /pdb/query/v4/nodes HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const answer = await text(client)
    for (const reader of stopped) process.kill(reader, 'SIGKILL')
    expect(answer).toMatch(/^HTTP\/1.1 503 [^]*The connection was half closed/)
  })
})

describe('requests that write', () => {
  // Each is a GET or a POST of a query: its way is a reader's, unless it finds that it has to write.
  it.each([
    [
      'a command',
      'POST',
      '/pdb/cmd/v1?command=deactivate_node&version=3&certname=gone',
      '{"certname":"gone"}',
      200,
    ],
  ])('%s is stored', async (_, method, path, body, status) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(service.url + path, { method, headers, body })
    expect([response.status, await response.text()]).toEqual([status, expect.anything()])
  })

  it('SQL with the function replace() is read by a reader', async () => {
    const response = await fetch(`${service.url}/insight/v1/search?q=changed`)
    expect(response.status).toBe(200)
  })
})
