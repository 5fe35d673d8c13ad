import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseRecord, replay, send, startCatcher, UsageError } from '../src/index.js'
import { finish, temporaryFolder } from './launch.js'

const SECRET = 'github:one'
const STANDARD = 'standard:whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw=='

/** A record file with these requests, each a POST of text but for what is given. */
function recordOf(...requests: readonly object[]): string {
  const file = join(temporaryFolder(), 'hooks.jsonl')
  const lines = requests.map((request, index) =>
    JSON.stringify({ n: index + 1, method: 'POST', url: '/', headers: [], body: 'x', ...request }),
  )
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return file
}

/** What a catcher has received when `act` is over. */
async function received(act: (url: string) => Promise<unknown>, secret?: string) {
  const catcher = await startCatcher(secret === undefined ? {} : { secret })
  await act(catcher.url)
  await catcher.close()
  return catcher.requests
}

describe('replay', () => {
  it('sends every request again: method, path, query, headers and bytes', async () => {
    const file = recordOf(
      {
        url: '/a?b=1',
        headers: [
          ['X-Id', '1'],
          ['x-id', '2'],
        ],
        body: '{"a":1.0}',
      },
      { method: 'PUT', url: '/binary', body: 'AP/+', encoding: 'base64' },
    )
    const [first, second] = await received(async (url) => {
      const { code, screen } = await finish(['replay', file, '--to', url])
      expect(screen).toMatch(
        /^#1 POST http:\S+\/a\?b=1 → 200 OK · 42 B · .*\n#2 PUT http:\S+\/binary → /,
      )
      expect(code).toBe(0)
    })
    expect(first).toMatchObject({ method: 'POST', url: '/a?b=1' })
    expect(first.headers).toEqual(
      expect.arrayContaining([
        ['X-Id', '1'],
        ['x-id', '2'],
      ]),
    )
    expect(first.header('X-Local-Catcher-Hop')).toBeUndefined()
    expect(first.bytes.toString()).toBe('{"a":1.0}')
    expect(second).toMatchObject({
      method: 'PUT',
      url: '/binary',
      bytes: Buffer.from([0, 255, 254]),
    })
  })

  it('signs with a new timestamp and the id that the message has', async () => {
    const old = [
      ['Webhook-Id', 'msg_1'],
      ['webhook-timestamp', '1'],
      ['webhook-signature', 'v1,x'],
    ]
    const file = recordOf({ headers: old })
    const [request] = await received(
      (url) => finish(['replay', file, '--to', url, '--secret', STANDARD]),
      STANDARD,
    )
    expect(request.signature).toMatchObject({ state: 'verified' })
    expect(request.header('webhook-id')).toBe('msg_1')
    expect(request.headers.filter(([name]) => /^webhook-/i.test(name))).toHaveLength(3)
  })

  it('says that a recorded signature is sent as it is', async () => {
    const file = recordOf({ headers: [['X-Hub-Signature-256', 'sha256=00']] })
    await received(async (url) => {
      const { talk } = await finish(['replay', file, '--to', url])
      expect(talk).toContain('signatures are sent as recorded; --secret makes new ones')
    }, SECRET)
  })

  it.each<[what: string, flags: readonly string[], bodies: string]>([
    ['in order', [], 'abcd'],
    ['twice', ['--twice'], 'aabbccdd'],
    ['some', ['--filter', '/even'], 'bd'],
  ])('sends %s', async (_what, flags, bodies) => {
    const file = recordOf(
      ...[...'abcd'].map((body, index) => ({ body, url: index % 2 === 0 ? '/odd' : '/even' })),
    )
    const requests = await received((url) => finish(['replay', file, '--to', url, ...flags]))
    expect(requests.map((request) => request.text()).join('')).toBe(bodies)
  })

  it('takes no more of a record than a request has', () => {
    const record = '{"headers":[],"body":"x","method":null,"colour":"red","toString":1}'
    const request = parseRecord(record)
    expect(request).toMatchObject({ method: '', size: 1 })
    expect(Object.keys(request)).not.toContain('colour')
    expect(Object.hasOwn(request, 'toString')).toBe(false)
  })

  it('sends a message twice under one id', async () => {
    const file = recordOf({}, {})
    const flags = ['--twice', '--secret', 'standard:whsec_QUJD']
    const requests = await received((url) => finish(['replay', file, '--to', url, ...flags]))
    const [first, again, second] = requests.map((request) => request.header('webhook-id'))
    expect(first).toMatch(/^msg_/)
    expect([first === again, first === second]).toEqual([true, false])
  })

  it('numbers requests of a record written by hand by their place', async () => {
    const file = recordOf({ n: undefined, redacted: true }, { n: undefined }, { n: 7 })
    await received(async (url) => {
      const { screen, talk } = await finish(['replay', file, '--to', url])
      expect(talk).toContain('#1 is left out')
      expect(screen).toMatch(/^#2 POST .*\n#7 POST /)
    })
  })

  it('leaves out what is not whole, and says so', async () => {
    const file = recordOf({ redacted: true }, { truncated: true }, { outcome: 'aborted' }, {})
    await received(async (url) => {
      const { code, screen, talk } = await finish(['replay', file, '--to', `${url}/there`])
      expect(talk).toContain('#1 is left out: a redacted request is not what was sent')
      expect(talk).toContain('#2 is left out: this request was not received whole')
      expect(talk).toContain('#3 is left out: this request was not received whole')
      expect(screen).toMatch(/^#4 POST http:\S+\/there → 200 OK/)
      expect(code).toBe(6)
    })
  })

  it.each<[what: string, args: readonly string[], code: number, message: RegExp]>([
    ['no record', ['replay', '--to', 'http://127.0.0.1:1'], 2, /give the record to replay/],
    [
      'a record that is not there',
      ['replay', 'no.jsonl', '--to', 'http://127.0.0.1:1'],
      2,
      /ENOENT/,
    ],
    ['no target', ['replay', recordOf({})], 2, /give the server to send to: --to http/],
    ['a target that is none', ['replay', recordOf({}), '--to', 'x'], 2, /--to: 'x' is not a URL/],
    ['nobody there', ['replay', recordOf({}), '--to', 'http://127.0.0.1:1'], 6, /^$/],
    [
      'an empty record',
      ['replay', recordOf(), '--to', 'http://127.0.0.1:1'],
      6,
      /no request was sent/,
    ],
    ['late without a secret', ['send', 'http://127.0.0.1:1', '--late', '1s'], 2, /give a secret/],
    [
      'late under a scheme that signs no timestamp',
      ['send', 'http://127.0.0.1:1', '--late', '1s', '--secret', 'github:s'],
      2,
      /github signs no timestamp, so it can't be late/,
    ],
    ['no URL', ['send'], 2, /give the URL to send to/],
  ])('tells of %s', async (_what, args, code, message) => {
    const finished = await finish(args)
    expect(finished.talk).toMatch(message)
    expect(finished.code).toBe(code)
  })
})

describe('send', () => {
  it('sends a signed webhook and prints the reply', async () => {
    const [request] = await received(async (url) => {
      const args = ['send', `${url}/x`, '-b', '{"a":1}', '-H', 'X-Event: paid', '--secret', SECRET]
      const { code, screen } = await finish(args)
      expect(screen).toMatch(/^POST http:\S+\/x → 200 OK · 42 B · .*\n\{"status":"OK",.*\}\n$/)
      expect(code).toBe(0)
    }, SECRET)
    expect(request.signature).toMatchObject({ state: 'verified' })
    expect(request.header('content-type')).toBe('application/json')
    expect(request.header('x-event')).toBe('paid')
  })

  it.each<[flags: readonly string[], cause: RegExp]>([
    [['--secret', 'standard:whsec_AAAA'], /^wrong secret, or the body was altered/],
    [
      ['--secret', STANDARD, '--late', '10m'],
      /^the timestamp is too old: 60\d s, 300 s are allowed$/,
    ],
  ])('signs as told: %j', async (flags, cause) => {
    const [request] = await received((url) => finish(['send', url, '-b', '{}', ...flags]), STANDARD)
    expect(request.signature).toMatchObject({
      state: 'failed',
      cause: expect.stringMatching(cause),
    })
  })

  it('takes the status that is expected for right', async () => {
    const catcher = await startCatcher({ status: 401 })
    for (const [status, code] of [
      ['401', 0],
      ['4xx', 0],
      ['2xx', 6],
    ] as const) {
      const sent = await finish(['send', catcher.url, '--expect-status', status])
      expect(sent.code).toBe(code)
      expect(sent.screen.includes('(expected 2xx)')).toBe(code === 6)
    }
    await catcher.close()
  })
})

it('is in the library', async () => {
  const requests = await received(async (url) => {
    const reply = await send(`${url}/sent`, {
      body: '{}',
      secret: STANDARD,
      headers: { 'X-A': '1' },
    })
    expect(reply).toMatchObject({ status: 200, error: null })
    const record = parseRecord('{"method":"POST","url":"/replayed","headers":[],"body":"x"}')
    await replay(record, url, { secret: STANDARD })
  }, STANDARD)
  expect(requests.map(({ url, signature }) => [url, signature?.state])).toEqual([
    ['/sent', 'verified'],
    ['/replayed', 'verified'],
  ])
  const cut = parseRecord('{"headers":[],"body":"x","truncated":true}')
  await expect(replay(cut, 'http://127.0.0.1:1')).rejects.toThrow(UsageError)
  await expect(send('ftp://x')).rejects.toThrow(UsageError)
  const typo = { boddy: 'x' } as object
  await expect(send('http://127.0.0.1:1', typo)).rejects.toThrow(
    "send has no 'boddy': did you mean 'body'?",
  )
})
