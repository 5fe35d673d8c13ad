/** HOOK_HOSTS: hooks of a service that deliver to receivers outside public networks, and those that may not. */

import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLocalService } from './local-service.ts'
import { npmStart } from './npm-start.ts'

const pem = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../fixtures/tls', name))

/** Private networks of RFC 1918 and RFC 4193. */
const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|f[cd])/
/** An address of this machine that other machines could have; without one another of loopback. */
const ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .map(({ address }) => address)
    .find((address) => PRIVATE.test(address)) ?? '127.0.0.2'
const isIPv6 = ADDRESS.includes(':')
/** The address in a URL, and the smallest networks that hold it. */
const HOST = isIPv6 ? `[${ADDRESS}]` : ADDRESS
const NETWORK = isIPv6 ? `${ADDRESS}/112` : `${ADDRESS}/24`

let requests: string[] = []
const servers: Server[] = []

/** Listens on every address of this machine. @returns the port */
async function listen(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  return (server.address() as AddressInfo).port
}
const taking: RequestListener = (request, response) => {
  requests.push(request.url!)
  request.resume().on('end', () => response.end())
}

let folder = ''
let plain = 0
let other = 0
let secure = 0
let redirecting = 0
let mail = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hook-hosts-'))
  plain = await listen(createHttpServer(taking))
  other = await listen(createHttpServer(taking))
  secure = await listen(
    createHttpsServer({ cert: pem('server.pem'), key: pem('server.key') }, taking),
  )
  const mailServer = new SMTPServer({
    secure: true,
    cert: pem('server.pem'),
    key: pem('server.key'),
    authOptional: true,
    onData(stream, _, callback) {
      requests.push('mail')
      stream.resume().on('end', () => callback())
    },
  })
  // What clients do that trust no certificate.
  mailServer.on('error', () => undefined)
  mail = await listen(mailServer.server)
  redirecting = await listen(
    createHttpServer((request, response) => {
      requests.push(request.url!)
      response.writeHead(307, { location: `http://127.0.0.1:${plain}/stolen` }).end()
    }),
  )
})
afterAll(async () => {
  for (const server of servers) server.close()
  await rm(folder, { recursive: true, force: true })
})

interface Delivered {
  /** The sentence that refuses the hook; else the outcome of its test message. */
  readonly outcome: string
  readonly requests: readonly string[]
}

async function deliver(service: string, url: string): Promise<Delivered> {
  requests = []
  const hook = `${service}/admin/v1/hooks/hook`
  const made = await fetch(hook, {
    method: 'PUT',
    body: JSON.stringify({
      transition: 'failed',
      url,
      ...(url.startsWith('mailto:') && { format: 'email' }),
    }),
  })
  if (made.status !== 201) return { outcome: await made.text(), requests }
  const { outcome } = await (
    await fetch(`${hook}/test`, { method: 'POST' })
  ).json<{ outcome: string }>()
  await fetch(hook, { method: 'DELETE' })
  return { outcome, requests }
}

const EXTRA_AUTHORITY = {
  NODE_EXTRA_CA_CERTS: join(import.meta.dirname, '../fixtures/tls/ca.pem'),
}
const ACCEPTED = 'answered 200'
const MAILED = 'the mail server accepted it'
const MAIL = 'mailto:ops@example.com'
const NOT_LISTED = 'messages are sent to public addresses only'
const NOT_REACHED = 'the runtime refused the connection'

/** The service of a row, and the hooks made there: the address, what comes of it. */
interface Row {
  readonly list: () => string
  /** Variables of its process, for which it needs one of its own. */
  readonly environment?: Readonly<Record<string, string>>
  readonly hooks: () => readonly (readonly [url: string, outcome: string])[]
  readonly mails?: true
}

describe.each<readonly [what: string, row: Row]>([
  [
    'without a list',
    {
      list: () => '',
      hooks: () => [
        [`http://${HOST}:${plain}/hook`, 'messages are sent over HTTPS only'],
        [`https://${HOST}:${secure}/hook`, NOT_LISTED],
        [`https://localhost:${secure}/hook`, 'LOCAL_HOOKS'],
        ['https://chat.corp.lan/hook', 'HOOK_HOSTS'],
        [MAIL, 'SMTP_URL and SMTP_FROM'],
      ],
    },
  ],
  [
    'an address with a port',
    {
      list: () => `${HOST}:${plain}`,
      hooks: () => [
        [`http://${HOST}:${plain}/hook`, ACCEPTED],
        [`http://${HOST}:${other}/hook`, 'messages are sent over HTTPS only'],
        [`https://${HOST}:${secure}/hook`, NOT_LISTED],
        [`http://127.0.0.1:${plain}/hook`, 'messages are sent over HTTPS only'],
      ],
    },
  ],
  [
    'a network',
    {
      list: () => `chat.corp.lan, ${NETWORK}`,
      hooks: () => [
        [`http://${HOST}:${plain}/hook`, ACCEPTED],
        [`http://${HOST}:${other}/hook`, ACCEPTED],
        // A name of another network.
        [`https://localhost:${secure}/hook`, NOT_REACHED],
      ],
    },
  ],
  [
    'a redirect to a host that is not on the list',
    {
      list: () => `${HOST}:${redirecting}`,
      hooks: () => [[`http://${HOST}:${redirecting}/hook`, 'answered 307']],
    },
  ],
  [
    'a pattern, whose name leads to this machine',
    {
      list: () => 'local*',
      hooks: () => [[`http://localhost:${plain}/hook`, NOT_REACHED]],
    },
  ],
  [
    'a pattern, whose name leads to this machine, with its network',
    {
      list: () => 'local* 127.0.0.0/8 ::1',
      hooks: () => [[`http://localhost:${plain}/hook`, ACCEPTED]],
    },
  ],
  [
    'this machine, by name',
    {
      list: () => `localhost:${plain}`,
      hooks: () => [
        [`http://localhost:${plain}/hook`, ACCEPTED],
        [`http://localhost:${other}/hook`, 'messages are sent over HTTPS only'],
      ],
    },
  ],
  [
    'a network to which a name leads that is not on the list',
    {
      list: () => '127.0.0.0/8 ::1/128',
      environment: EXTRA_AUTHORITY,
      hooks: () => [
        [`https://localhost:${secure}/hook`, ACCEPTED],
        [`http://localhost:${plain}/hook`, 'messages are sent over HTTPS only'],
      ],
    },
  ],
  [
    'a certificate of an authority that the service does not know',
    {
      list: () => 'localhost',
      mails: true,
      hooks: () => [
        [`https://localhost:${secure}/hook`, 'certificate'],
        [MAIL, 'the certificate of the mail server localhost:'],
      ],
    },
  ],
  [
    'a certificate of an authority in NODE_EXTRA_CA_CERTS',
    {
      list: () => 'localhost',
      environment: EXTRA_AUTHORITY,
      mails: true,
      hooks: () => [
        [`https://localhost:${secure}/hook`, ACCEPTED],
        [MAIL, MAILED],
      ],
    },
  ],
])('HOOK_HOSTS: %s', (_, { list, hooks, environment = {}, mails = false }) => {
  let stop: () => Promise<unknown>
  let url = ''
  beforeAll(async () => {
    const settings = {
      LOCAL_HOOKS: 'off',
      HOOK_HOSTS: list(),
      ...(mails && { SMTP_URL: `smtps://localhost:${mail}`, SMTP_FROM: 'reports@example.com' }),
    }
    if (Object.keys(environment).length === 0) {
      const service = await startLocalService(settings)
      stop = service.stop
      url = service.url
      return
    }
    const data = await mkdtemp(join(folder, 'data-'))
    const service = npmStart(['--port', '0', '--data', data, '--empty'], {
      environment: { ...environment, ...settings },
    })
    stop = () => service.stop('SIGTERM')
    url = await service.ready
  })
  afterAll(() => stop())

  it('delivers to what it lists, and to nothing else', async () => {
    for (const [hook, outcome] of hooks()) {
      const delivered = await deliver(url, hook)
      const isTaken = outcome.startsWith('answered')
      expect([hook, delivered]).toEqual([
        hook,
        {
          outcome: expect.stringContaining(outcome),
          requests: isTaken ? ['/hook'] : outcome === MAILED ? ['mail'] : [],
        },
      ])
    }
  })
})

it('a list that cannot be read stops the start', async () => {
  const service = npmStart(['--port', '0', '--data', join(folder, 'wrong')], {
    environment: { HOOK_HOSTS: 'chat.corp.lan https://chat.corp.lan' },
  })
  const { code, output } = await service.ended
  expect([code, output]).toEqual([
    2,
    expect.stringContaining("The setting HOOK_HOSTS can't be read: expected hosts"),
  ])
})
