/** Hooks: what they tell of, to whom, how often they try, and who may make them. */

import { createHmac } from 'node:crypto'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import worker from '../../worker/index.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'
import { ask, countRows, request, store } from './client.ts'
import { around, counting } from './database.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'
import { event, NOON, resource } from './reports.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const RECEIVER = 'https://hooks.example.com/secret-path'

interface Delivery {
  readonly url: string
  readonly headers: Headers
  readonly body: string
}
let deliveries: Delivery[] = []
/** What the receiver answers; a text is why it can't be reached. */
let answer: number | string = 200
/** The Retry-After of that answer, where it has one. */
let retryAfter: string | null = null

beforeAll(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    deliveries.push({ url, headers: new Headers(init!.headers), body: init!.body as string })
    if (typeof answer === 'string') return Promise.reject(new Error(answer))
    const headers = retryAfter === null ? {} : { 'retry-after': retryAfter }
    return Promise.resolve(new Response(null, { status: answer, headers }))
  })
})
beforeEach(() => {
  deliveries = []
  answer = 200
  retryAfter = null
})

/** What the trigger does, so many ms after noon. */
async function tick(after = MINUTE): Promise<void> {
  const controller = { scheduledTime: NOON + after, cron: NOTIFY_CRON, noRetry: () => undefined }
  await worker.scheduled(controller, env)
}

const put = (name: string, hook: object) =>
  request(`/admin/v1/hooks/${name}`, { method: 'PUT', body: JSON.stringify(hook) })

/** A hook that is made some hours before noon, of one node. */
async function makeHook(name: string, parts: object = {}, hoursBefore = 12): Promise<string> {
  vi.setSystemTime(NOON - hoursBefore * HOUR)
  const response = await put(name, {
    transition: 'failed',
    filter: `certname = "${name}"`,
    url: RECEIVER,
    ...parts,
  })
  const answered = await response.json<{ secret: string }>()
  expect([response.status, answered]).toEqual([
    201,
    { name, secret: expect.stringMatching(/^whsec_/) },
  ])
  return answered.secret
}

/** The last message of a hook, as the list of deliveries has it. */
const lastOf = async (name: string) =>
  (await ask('/admin/v1/deliveries')).find(({ hook }: { hook: string }) => hook === name)

const drop = (name: string) => request(`/admin/v1/hooks/${name}`, { method: 'DELETE' })

let count = 0
describe('a hook notifies about', () => {
  it.each<[transition: string, letters: string, total: number, what: string]>([
    ['failed', '--F', 1, 'a node that fails'],
    ['failed', '-FFF', 1, 'that once, however long it goes on'],
    ['failed', '-F-F', 2, 'and again'],
    ['failed', 'F', 1, 'one that fails at its first run'],
    ['failed', '-e', 1, 'one that only its log says of'],
    ['failed', '-eF', 2, 'that again when a resource fails, too'],
    ['failed', '-Fee', 1, 'but not when only its log still says so'],
    ['recovered', '-eF', 0, 'not of one that fails otherwise'],
    ['failed', '-CDcdn', 0, 'nothing else'],
    ['recovered', '-FF-', 1, 'a node that does not fail any more'],
    ['recovered', 'FC', 1, 'whatever else it does'],
    ['recovered', '--', 0, 'not of one that never did'],
    ['corrective', '-DD-D', 2, 'drift that was corrected, when there was none before'],
    ['corrective', '-d-C', 0, 'not of what would have been, nor of other changes'],
    ['silent', '-....', 1, 'a node without runs for an hour'],
    ['silent', '----', 0, 'not of one that runs'],
  ])('%s: %s is %i: %s', async (transition, letters, total) => {
    const name = `told-${++count}`
    await makeHook(name, { transition, hours: 1 })
    await storeInTime(...runsOf(name, letters))
    await tick()
    await tick(2 * MINUTE)
    const messages = deliveries.map(({ body }) => JSON.parse(body))
    const items = messages.flatMap(({ data }) => data.items)
    expect(messages.reduce((sum, { data }) => sum + data.total, 0)).toBe(total)
    expect(items.map(({ certname }: { certname: string }) => certname)).toEqual(
      Array.from({ length: total }, () => name),
    )
    await drop(name)
  })

  it('silence once, by the run in which its time is over', async () => {
    await makeHook('silent', { transition: 'silent', hours: 1 })
    await storeInTime(...runsOf('silent', '-'))
    const told: number[] = []
    for (const minutes of [58, 62, 66]) {
      await tick(minutes * MINUTE)
      told.push(deliveries.length)
    }
    expect(told).toEqual([0, 1, 1])
    await drop('silent')
  })

  it('what comes once a clock that was ahead is right again', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    await makeHook('ahead')
    for (const days of [3, 3.1]) await tick(days * 24 * HOUR)
    await tick()
    expect(warn.mock.calls.join()).toContain('was ahead')
    await storeInTime(...runsOf('ahead', 'F', -5 * MINUTE))
    await tick(10 * MINUTE)
    expect(deliveries.map(({ body }) => JSON.parse(body).data.total)).toEqual([1])
    await drop('ahead')
    warn.mockRestore()
  })

  it('a new cause, and no other', async () => {
    await makeHook('causes', { transition: 'new-cause', filter: 'certname ~ "^cause-"' })
    const unheardOf = (n: number, certname: string) =>
      runsOf(certname, 'F', n * HOUR, {
        logs: [],
        resources: [
          {
            ...(runsOf('x', 'F')[0]!['resources'] as Record<string, unknown>[])[0]!,
            events: [
              {
                status: 'failure',
                timestamp: new Date(NOON).toISOString(),
                property: 'ensure',
                name: null,
                old_value: null,
                new_value: null,
                message: 'Nobody has ever said this',
                corrective_change: false,
              },
            ],
          },
        ],
      })
    await storeInTime(...unheardOf(3, 'cause-1'), ...unheardOf(2, 'cause-2'))
    await tick()
    const [message, ...others] = deliveries.map(({ body }) => JSON.parse(body))
    expect(others).toEqual([])
    expect(message).toMatchObject({
      type: 'node.new-cause',
      text: expect.stringMatching(
        /^1 new cause of failure, on cause-1\nNobody has ever said this\nhttp:\/\/service\.example\/console\/causes\/[0-9a-f]{16}\?since=all$/,
      ),
      data: { total: 1, items: [{ certname: 'cause-1', reason: 'Nobody has ever said this' }] },
    })
    await drop('causes')
  })

  it('failures by one cause, and that one where a run has several', async () => {
    const failing = (certname: string, ...messages: string[]) =>
      runsOf(certname, 'F', 0, {
        logs: [],
        resources: messages.map((message) =>
          resource({ resource_title: message, events: [event({ status: 'failure', message })] }),
        ),
      })
    await storeInTime(...failing('before', 'The moon is full', 'The tide is out'))
    const { items } = await ask('/insight/v1/causes', { filter: 'certname = "before"' })
    const { cause } = items.find(({ reason }: { reason: string }) => /tide/.test(reason))
    await makeHook('tides', { filter: 'certname ~ "^by-"', cause }, 0)
    await storeInTime(
      ...failing('by-both', 'The moon is full', 'The tide is out'),
      ...failing('by-another', 'The moon is full'),
    )
    await tick()
    const [message, ...others] = deliveries.map(({ body }) => JSON.parse(body))
    expect(others).toEqual([])
    expect(message.data).toMatchObject({
      cause,
      total: 1,
      items: [{ certname: 'by-both', cause, reason: 'The tide is out' }],
    })
    const [hook] = await ask('/admin/v1/hooks')
    expect(hook).toMatchObject({ name: 'tides', cause })
    await drop('tides')
  })

  it('reports that arrive after its creation, even late ones', async () => {
    await storeInTime(...runsOf('late', '-', 12 * HOUR))
    await makeHook('late')
    const [run] = runsOf('late', 'F', 40 * MINUTE)
    vi.setSystemTime(NOON)
    await store(run!)
    await tick(10 * MINUTE)
    expect(deliveries).toHaveLength(1)
    await drop('late')
  })
})

describe('a message', () => {
  it('describes the event as a sentence and as data, signed as in Standard Webhooks', async () => {
    const secret = await makeHook('signed')
    await storeInTime(...runsOf('signed', '-F'))
    // The trigger comes late.
    vi.setSystemTime(NOON + 7 * MINUTE)
    await tick()
    const [{ url, headers, body }] = deliveries as [Delivery]
    expect(url).toBe(RECEIVER)
    expect(JSON.parse(body)).toMatchObject({
      type: 'node.failed',
      text: expect.stringMatching(/^1 node failed: signed\n.*Could not find package/),
      url: expect.stringMatching(/\/console\/causes\/[0-9a-f]{16}\?since=all$/),
      data: {
        hook: 'signed',
        total: 1,
        items: [
          {
            certname: 'signed',
            environment: 'production',
            reason: expect.stringContaining('Could not find package'),
            url: expect.stringMatching(/\/console\/reports\/[0-9a-f]{40}$/),
          },
        ],
      },
    })
    const [id, timestamp] = ['webhook-id', 'webhook-timestamp'].map((name) => headers.get(name))
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key)
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')
    expect(headers.get('webhook-signature')).toBe(`v1,${signature}`)
    expect(Number(timestamp)).toBe((NOON + 7 * MINUTE) / 1000)
    await drop('signed')
  })

  it('is one for a whole fleet', async () => {
    await makeHook('many', { filter: 'certname ~ "^fleet-"' })
    for (let n = 0; n < 7; n++) await storeInTime(...runsOf(`fleet-${n}`, 'F', n))
    await tick()
    expect(deliveries.map(({ body }) => JSON.parse(body).text.split('\n')[0])).toEqual([
      '7 nodes failed: fleet-0, fleet-1, fleet-2, fleet-3, fleet-4 and 2 more',
    ])
    await drop('many')
  })

  it.each<[answer: number | string, outcome: string]>([
    [503, 'answered 503'],
    [302, 'answered 302'],
    ['connect refused', 'connect refused'],
    [
      'Network connection lost.',
      'nothing answers at hooks.example.com, or it closed the connection',
    ],
    [
      'internal error; reference = 2abc',
      'the runtime refused the connection: hooks.example.com may lead to an address that is neither public nor in HOOK_HOSTS, or its certificate may not be trusted',
    ],
  ])(
    'that is not taken (%s) is tried again under its name, and given up after a day',
    async (bad, outcome) => {
      await makeHook('stubborn')
      await storeInTime(...runsOf('stubborn', '-F'))
      answer = bad
      await tick()
      expect(await lastOf('stubborn')).toMatchObject({ attempts: 1, outcome, delivered: null })
      await tick(MINUTE + 1000)
      expect(deliveries).toHaveLength(1)
      for (let hours = 1; hours < 48; hours += 3) await tick(hours * HOUR)
      expect(await lastOf('stubborn')).toMatchObject({
        attempts: 7,
        next_attempt: null,
        delivered: null,
      })
      expect(new Set(deliveries.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
      answer = 204
      const { id } = await lastOf('stubborn')
      const replayed = await request(`/admin/v1/deliveries/${id}/replay`, { method: 'POST' })
      expect(await replayed.json()).toEqual({ outcome: 'answered 204' })
      expect(await lastOf('stubborn')).toMatchObject({
        delivered: expect.any(String),
        next_attempt: null,
      })
      await drop('stubborn')
      // Nothing of it is left to be told of again.
      await storeInTime(...runsOf('stubborn', '-', -HOUR))
    },
  )

  it.each<[status: number, asked: string, minutes: number]>([
    [429, '600', 10],
    [503, '600', 10],
    [429, new Date(NOON + 11 * MINUTE).toUTCString(), 10],
    // The service's own pause is the shortest, and a day is the longest.
    [429, '5', 1],
    [429, '99999999', 24 * 60],
    [429, new Date(NOON).toUTCString(), 1],
    [429, 'soon', 1],
    // Of other statuses Retry-After means something else, or nothing.
    [500, '600', 1],
  ])('that is answered %i, Retry-After %s, waits %i minutes', async (status, asked, minutes) => {
    await makeHook('asked')
    await storeInTime(...runsOf('asked', 'F'))
    answer = status
    retryAfter = asked
    vi.setSystemTime(NOON + MINUTE)
    await tick()
    const { next_attempt } = await lastOf('asked')
    expect(Date.parse(next_attempt as string) - NOON - MINUTE).toBe(minutes * MINUTE)
    await drop('asked')
    await storeInTime(...runsOf('asked', '-', -HOUR))
  })

  it('that a receiver has unsubscribed from (410) is not retried', async () => {
    await makeHook('gone')
    await storeInTime(...runsOf('gone', 'F'))
    answer = 410
    await tick()
    for (const hours of [1, 2, 3]) await tick(hours * HOUR)
    expect(deliveries).toHaveLength(1)
    await drop('gone')
  })

  it('without an event is sent as a test', async () => {
    await makeHook('tried')
    const response = await request('/admin/v1/hooks/tried/test', { method: 'POST' })
    expect(await response.json()).toEqual({ outcome: 'answered 200' })
    expect(JSON.parse(deliveries[0]!.body)).toMatchObject({ type: 'test', data: { hook: 'tried' } })
    await drop('tried')
  })

  it('that is being sent is not sent by the trigger too', async () => {
    await makeHook('slow')
    vi.setSystemTime(NOON)
    // The receiver takes until the trigger has run, both times.
    const answerLate = async () => {
      await tick(2 * MINUTE)
      return new Response(null, { status: 503 })
    }
    vi.mocked(fetch).mockImplementationOnce(answerLate).mockImplementationOnce(answerLate)
    await request('/admin/v1/hooks/slow/test', { method: 'POST' })
    const { id } = await lastOf('slow')
    await request(`/admin/v1/deliveries/${String(id)}/replay`, { method: 'POST' })
    expect(deliveries).toEqual([])
    await tick(2 * MINUTE)
    expect(deliveries).toHaveLength(1)
    await drop('slow')
  })

  it('is sent again in two round trips: one reads it, one stores the outcome', async () => {
    await makeHook('again')
    await request('/admin/v1/hooks/again/test', { method: 'POST' })
    const { id } = await lastOf('again')
    const { database, batches } = counting()
    const path = `/admin/v1/deliveries/${String(id)}/replay`
    const response = await request(path, { method: 'POST' }, database)
    expect([await response.json(), batches()]).toEqual([{ outcome: 'answered 200' }, 2])
    await drop('again')
  })
})

/** docs/explanation/price.md adds up what it writes in a day. */
it('a look that finds nothing writes two rows and one for each hook, and none without hooks', async () => {
  const written = async (minutes: number): Promise<number> => {
    let rows = 0
    const database = around(async (send) => {
      const results = await send()
      for (const { meta } of results) rows += meta.rows_written
      return results
    })
    const time = {
      scheduledTime: NOON + minutes * MINUTE,
      cron: NOTIFY_CRON,
      noRetry: () => undefined,
    }
    await worker.scheduled(time, { ...env, DB: database })
    return rows
  }
  const rows = [await written(100)]
  for (const [index, name] of ['one', 'two'].entries()) {
    await makeHook(name)
    await written(110 + 20 * index)
    rows.push(await written(120 + 20 * index))
  }
  expect(rows).toEqual([0, 3, 4])
  for (const name of ['one', 'two']) await drop(name)
})

describe('around hooks', () => {
  it('only the last fifty messages of each are kept', async () => {
    await makeHook('busy')
    for (let n = 0; n < 53; n++) await request('/admin/v1/hooks/busy/test', { method: 'POST' })
    expect(await countRows("deliveries WHERE hook = 'busy'")).toBe(50)
    await drop('busy')
    expect(await countRows("deliveries WHERE hook = 'busy'")).toBe(0)
  })

  it('secrets and paths of addresses are never shown again', async () => {
    const secret = await makeHook('quiet')
    const shown = [
      await (await request('/admin/v1/hooks')).text(),
      await (await request('/admin/v1/deliveries')).text(),
      (await page('/console/settings')).html,
    ].join('')
    expect(shown).toContain('https://hooks.example.com/…')
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain('secret-path')
    await drop('quiet')
  })

  it('a preview lists the matches of a rule in the last week', async () => {
    await storeInTime(...runsOf('week', '-F--', 3 * 24 * HOUR), ...runsOf('week', '-F', MINUTE))
    await makeHook('week', {}, 0)
    const response = await request('/admin/v1/hooks/week/preview')
    expect(await response.json()).toMatchObject({
      total: 2,
      items: [{ certname: 'week' }, { certname: 'week' }],
    })
    await drop('week')
  })

  it.each<[what: object, sentence: string]>([
    [
      { url: 'http://example.com/' },
      'http://example.com is refused: messages are sent over HTTPS only.',
    ],
    [
      { url: 'ftp://example.com/' },
      'ftp://example.com is refused: messages are sent over HTTPS only.',
    ],
    [
      { url: 'http://127.0.0.1:8080/' },
      "LOCAL_HOOKS=on allows receivers on the service's own machine.",
    ],
    [
      { url: 'mailto:ops@example.com', format: 'email' },
      "mailto: is refused: a Worker can't speak SMTP. Run the service on a server of your own, or send to a mail gateway that takes webhooks.",
    ],
    [{ url: 'https://user:pass@example.com/' }, 'a user name or a password is refused'],
    [{ url: 'example' }, '"example" isn\'t an address'],
    ...Object.entries({
      loopback: '127.0.0.1 2130706433 [::1]',
      private: '10.1.2.3 172.31.0.1 192.168.0.1 100.64.0.1 [::ffff:10.0.0.1] [fd00::1]',
      'link-local': '169.254.169.254 [fe80::1]',
      unspecified: '0.0.0.0',
      'multicast or reserved': '224.0.0.1',
      reserved: '[::] 192.88.99.1',
      "the platform's own": '168.63.129.16',
      'for tunnels': '[2002:a00:1::] [3fff::1] [3fff:fff::1]',
      'for benchmarks': '[2001:2::1] [2001:10::1] [2001:2f::1]',
      'a name of a local network':
        'localhost db printer.local metadata.google.internal kubernetes.default.svc x.corp x.home x.private',
    }).flatMap(([why, hosts]) =>
      hosts
        .split(' ')
        .map((host): [object, string] => [
          { url: `https://${host}/hook` },
          `is refused: it is ${why}`,
        ]),
    ),
    [{ transition: 'fialed' }, "Did you mean 'failed'?"],
    [{ hours: 0 }, "hours can't be '0': expected a whole number from 1 to 720."],
    [{ filter: 'stauts = "failed"' }, 'stauts'],
    [{ filter: 'status = ' }, 'PQL'],
    [{ cause: 'unheard of' }, 'There is no cause "unheard of".'],
    [{ cause: 'x', transition: 'silent' }, "Only the transition 'failed' can have a cause."],
  ])('%j is refused by name', async (parts, sentence) => {
    const response = await put('refused', { transition: 'failed', url: RECEIVER, ...parts })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining(sentence),
    ])
    expect(await countRows("hooks WHERE name = 'refused'")).toBe(0)
  })

  it('HOOK_HOSTS opens nothing on Cloudflare, and the refusal says so', async () => {
    const hook = { transition: 'failed', url: 'https://chat.corp.lan/hook' }
    const response = await worker.fetch(
      new Request('http://localhost/admin/v1/hooks/listed', {
        method: 'PUT',
        body: JSON.stringify(hook),
      }),
      { ...env, HOOK_HOSTS: 'chat.corp.lan' },
    )
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining(
        'HOOK_HOSTS has no effect on Cloudflare: a Worker reaches public addresses only.',
      ),
    ])
  })

  it('an existing hook is not overwritten, and a name must be valid', async () => {
    await makeHook('twice')
    expect(await (await put('twice', { transition: 'failed', url: RECEIVER })).text()).toContain(
      'A hook called twice exists.',
    )
    expect((await put('No Name', { transition: 'failed', url: RECEIVER })).status).toBe(400)
    await drop('twice')
    expect((await drop('twice')).status).toBe(404)
  })

  it.each([
    ['of another run holds everything up', 2 * MINUTE, 0],
    ['that has expired holds nothing up', 0, 1],
    ['that was taken while the clock was ahead holds nothing up', 48 * HOUR, 1],
  ])('a lease %s', async (_, left, sent) => {
    await makeHook('held')
    const take = 'insert or replace into leases (name, holder, until) values (?, ?, ?)'
    await storeInTime(...runsOf('held', 'F'))
    await env.DB.prepare(take)
      .bind('notify', 'another run', Date.now() + left)
      .run()
    await tick()
    expect(deliveries).toHaveLength(sent)
    await env.DB.exec('delete from leases')
    await drop('held')
  })

  it('without hooks the trigger writes nothing', async () => {
    const leases = await countRows('leases')
    await tick()
    expect(await countRows('leases')).toBe(leases)
    expect(deliveries).toEqual([])
  })
})
