/** Mail of the launcher to a real SMTP server: TLS, refusals, what a mail may hold, and attempts that nobody waits for. */

import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { askUnix } from '../../worker/local/host/unix-request.ts'
import { serveMail } from '../../worker/local/host/mail-relay.ts'
import { mailOf } from '../../worker/notify/mail.ts'
import { readMailbox, readSmtpUrl } from '../../worker/schema/mail.ts'
import { until } from './until.ts'

const folder = mkdtempSync(join(tmpdir(), 'mail-relay-'))
const PASSWORD = 'pass:w0rd/'
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface Caught {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

/** An SMTP server without TLS. */
async function mailServer(options: SMTPServerOptions = {}) {
  const caught: Caught[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    ...options,
    onData(stream, { envelope }, callback) {
      void textOf(stream).then((raw) => {
        const from = envelope.mailFrom === false ? '' : (envelope.mailFrom?.address ?? '')
        caught.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw })
        callback()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return { caught, server, port: (server.server.address() as AddressInfo).port }
}

afterAll(() => rmSync(folder, { recursive: true }))

let relays = 0
async function relay(url: string): Promise<string> {
  const socket = join(folder, `mail${relays++}`)
  const server: Server = await serveMail(
    { SMTP_URL: url, SMTP_FROM: 'Reports <reports@example.com>' },
    socket,
  )
  closing.push(() => server.close())
  return socket
}

const MAIL = { subject: '1 node failed: db1', text: 'Why', hook: 'ops', topic: 'node db1' }
const HEADERS = {
  'x-mail-to': 'ops@example.com',
  'webhook-id': 'msg_1',
  'webhook-timestamp': '1',
  'webhook-signature': 'v1,x',
}

async function send(socket: string, mail: object = MAIL, headers = HEADERS) {
  const { status, body } = await askUnix(socket, {
    ...{ method: 'POST', path: '/', headers },
    body: JSON.stringify(mail),
  })
  return [status, body.toString()]
}

const ACCEPTED = [200, 'the mail server accepted it']
/** This machine, by an address that isn't one of loopback in a URL. */
const ELSEWHERE = '[::ffff:127.0.0.1]'

describe('TLS', () => {
  it('is required of a server that is not on this machine', async () => {
    const { port, caught } = await mailServer()
    expect(await send(await relay(`smtp://${ELSEWHERE}:${port}`))).toEqual([
      502,
      expect.stringContaining('offers no TLS, which it must unless SMTP_URL ends in ?tls=off'),
    ])
    expect(caught).toEqual([])
  })

  it('is not where the operator says so, nor on this machine', async () => {
    const { port, caught } = await mailServer()
    expect(await send(await relay(`smtp://${ELSEWHERE}:${port}?tls=off`))).toEqual(ACCEPTED)
    expect(await send(await relay(`smtp://127.0.0.1:${port}`))).toEqual(ACCEPTED)
    expect(caught).toHaveLength(2)
  })

  it('whose certificate is not trusted stops the mail', async () => {
    const { port, caught } = await mailServer({ disabledCommands: [] })
    expect(await send(await relay(`smtp://${ELSEWHERE}:${port}`))).toEqual([
      502,
      expect.stringMatching(/^the certificate of the mail server \S+ is not trusted/),
    ])
    expect(caught).toEqual([])
  })
})

describe('a failure is a sentence', () => {
  it('without the password, if the sign-in is refused', async () => {
    const { port } = await mailServer({
      authOptional: false,
      // A server that tells more than it should.
      onAuth: ({ password }, _, callback) => callback(new Error(`wrong: ${password}`)),
    })
    const [status, sentence] = await send(
      await relay(`smtp://ops:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`),
    )
    expect([status, sentence]).toEqual([
      502,
      `the mail server 127.0.0.1:${port} refused the sign-in (535)`,
    ])
  })

  it('with what the server answers, if it refuses the recipient', async () => {
    const { port } = await mailServer({
      onRcptTo: (_, __, callback) =>
        callback(Object.assign(new Error('5.1.1 No such user here'), { responseCode: 550 })),
    })
    expect(await send(await relay(`smtp://127.0.0.1:${port}`))).toEqual([
      502,
      `the mail server 127.0.0.1:${port} answered: 550 5.1.1 No such user here`,
    ])
  })

  it('if nothing listens there', async () => {
    const { port, server } = await mailServer()
    await new Promise<void>((resolve) => server.close(resolve))
    expect(await send(await relay(`smtp://127.0.0.1:${port}`))).toEqual([
      502,
      `nothing answers at the mail server 127.0.0.1:${port}, or it closed the connection`,
    ])
  })
})

it('has no header but ours, whatever nodes and hooks are called', async () => {
  const { port, caught } = await mailServer()
  const evil = 'x\r\nBcc: evil@example.com\r\n\r\nbody'
  const mail = { subject: evil, text: `${evil}\r\n.\r\nMAIL FROM:<a@b>`, hook: 'ops', topic: evil }
  expect(await send(await relay(`smtp://127.0.0.1:${port}`), mail)).toEqual(ACCEPTED)
  expect(caught).toHaveLength(1)
  const [{ from, to, raw }] = caught as [Caught]
  expect([from, to]).toEqual(['reports@example.com', ['ops@example.com']])
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
  const names = head.split('\r\n').map((line) => line.slice(0, line.indexOf(':')))
  expect(names.map((name) => name.toLowerCase()).toSorted()).toEqual(
    [
      ...['Auto-Submitted', 'Content-Transfer-Encoding', 'Content-Type', 'Date', 'From'],
      ...['In-Reply-To', 'List-Id', 'MIME-Version', 'Message-ID', 'References', 'Subject', 'To'],
      ...['Webhook-Id', 'Webhook-Signature', 'Webhook-Timestamp'],
    ]
      .map((name) => name.toLowerCase())
      .toSorted(),
  )
  expect(head).toMatch(/\r\nSubject: x\s+Bcc: evil@example\.com\s+body\r\n/)
})

it('is made of names and reasons without what a terminal or a header would obey', () => {
  const { subject, text } = mailOf({
    ...{ type: 'node.failed', timestamp: '', hook: 'ops', mood: 'bad', data: {} },
    title: `1 node failed: x\r\nBcc: evil@example.com\u001b[2J\u202e${'y'.repeat(200)}`,
    lines: ['E: one\r\ntwo\u0000'],
    link: { name: 'Open x', url: 'https://reports.example.com/x', topic: 'node x' },
  })
  expect(subject).toMatch(/^1 node failed: x Bcc: evil@example\.com\ufffd\[2J\ufffdy+…$/)
  expect(subject).toHaveLength(150)
  expect(text.split('\n\n').slice(1)).toEqual([
    'E: one\ntwo\ufffd',
    'Open x:\nhttps://reports.example.com/x',
    'Sent by the hook ops.',
  ])
})

it('is not sent once the Worker waits no longer', async () => {
  let greet: (() => void) | null = null
  let isClosed = false
  const { port, caught } = await mailServer({
    onConnect(_, callback) {
      greet = callback
    },
    onClose() {
      isClosed = true
    },
  })
  const socket = await relay(`smtp://127.0.0.1:${port}`)
  const attempt = httpRequest({ socketPath: socket, method: 'POST', headers: HEADERS })
  attempt.on('error', () => undefined)
  attempt.end(JSON.stringify(MAIL))
  await until(() => expect(greet).not.toBeNull())
  attempt.destroy()
  await until(() => expect(isClosed).toBe(true))
  greet!()
  expect(caught).toEqual([])
})

it('takes three connections at most, and others wait', async () => {
  let begun = 0
  let most = 0
  const held: (() => void)[] = []
  const { port, caught } = await mailServer({
    // The first three wait for each other. A connection begins its next mail once the one before is caught.
    onMailFrom(_, __, callback) {
      most = Math.max(most, ++begun - caught.length)
      held.push(callback)
      if (begun >= 3) for (const go of held.splice(0)) go()
    },
  })
  const socket = await relay(`smtp://127.0.0.1:${port}`)
  const sent = await Promise.all(Array.from({ length: 8 }, () => send(socket)))
  expect(sent).toEqual(sent.map(() => ACCEPTED))
  expect([caught.length, most]).toEqual([8, 3])
})

describe('SMTP_URL', () => {
  const login = { user: 'ops', password: PASSWORD }
  it.each<[string, object]>([
    ['smtps://mail.example.com', { port: 465, tls: 'implicit', login: null }],
    ['smtp://mail.example.com', { port: 587, tls: 'required', login: null }],
    [`smtp://ops:${encodeURIComponent(PASSWORD)}@mail.example.com:25`, { port: 25, login }],
    ['smtp://mail.example.com?tls=off', { tls: 'none' }],
    ['smtp://localhost', { tls: 'none' }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, tls: 'none' }],
    ['smtps://localhost', { tls: 'implicit' }],
  ])('%s', (url, server) => {
    expect(readSmtpUrl(url)).toMatchObject(server)
  })

  it.each([
    ...['mail.example.com', 'https://u:S3CRET@h', 'smtp://', 'smtp://u@h', 'smtp://h/path?x'],
    ...['smtp://u:S3CRET@h?tls=maybe', 'smtps://u:S3CRET@h?tls=off', 'smtp://u:%S3CRET@h'],
  ])('%s is refused, and its password is in no sentence', (url) => {
    expect(() => readSmtpUrl(url)).toThrow(/^expected smtps:(?!.*S3CRET)/)
  })
})

it.each<[string, object | null]>([
  ['reports@example.com', { name: '', address: 'reports@example.com' }],
  ['Puppet reports <reports@example.com>', { name: 'Puppet reports' }],
  ['Puppet\r\nBcc: x@y <reports@example.com>', null],
  ['a@b, c@d', null],
  ['a%0d%0a@b.example', null],
  ['reports', null],
])('SMTP_FROM %j', (text, mailbox) => {
  if (mailbox === null) expect(() => readMailbox(text)).toThrow('a mail address such as')
  else expect(readMailbox(text)).toMatchObject(mailbox)
})
