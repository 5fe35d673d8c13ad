/** The messages of each format, as local-catcher caught them: what a chat gets of a failure with a hostile text. */

import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'
import { ROOT, startLocalService } from './local-service.ts'

const FORMATS = ['slack', 'teams', 'discord', 'webhook'] as const
const MINUTE = 60_000
/** What a node's error may hold: mentions, links and mark-up of each chat. */
const HOSTILE = 'E: <!channel> @everyone *no* [here](https://evil.example) & _package_ `x`'
const TITLE = '1 node failed: db1.example.com'

interface Caught {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

let service: Service
let catcher: ChildProcess
const bodies = new Map<string, Record<string, unknown>>()
const signed = new Map<string, boolean>()

/** Mails that were accepted, and the ids of those that were greylisted first. */
const mails: string[] = []
const greylist = new Set<string>()
const mailServer = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth: ({ username, password }, _, callback) =>
    username === 'reports' && password === 's3cret:/'
      ? callback(null, { user: username })
      : callback(new Error('wrong')),
  onData(stream, _, callback) {
    void textOf(stream).then((mail) => {
      const { 'message-id': id = '' } = headersOf(mail)
      const isKnown = greylist.has(id)
      greylist.add(id)
      if (isKnown) mails.push(mail)
      callback(isKnown ? null : Object.assign(new Error('4.7.1 Come back'), { responseCode: 451 }))
    })
  },
})
let mailSecret = ''

/** The headers of a mail, by their names in lower case. */
const headersOf = (mail: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    mail
      .slice(0, mail.indexOf('\r\n\r\n'))
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => line.split(/: (.*)/s) as [string, string])
      .map(([name, value]) => [name.toLowerCase(), value]),
  )

/** The text of a mail in quoted-printable or as it is, without line ends at its end. */
function bodyOf(mail: string): string {
  const text = mail.slice(mail.indexOf('\r\n\r\n') + 4)
  const bytes =
    headersOf(mail)['content-transfer-encoding'] === 'quoted-printable'
      ? text
          .replaceAll('=\r\n', '')
          .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
      : text
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n').trimEnd()
}

/** The port that the catcher listens on, which it says on stderr once it does. */
const portOf = ({ stderr }: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let talk = ''
    stderr!.on('data', (piece) => {
      talk += String(piece)
      const port = /listening on http:\S+:(\d+)/.exec(talk)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    stderr!.on('close', () => reject(new Error(`The catcher ended: ${talk}`)))
  })

const send = (path: string, method: string, body: object): Promise<Response> =>
  fetch(service.url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** A run whose package resource fails with that message. */
function failedRun(message: string): object {
  const time = new Date().toISOString()
  const report = JSON.parse(
    readFileSync(join(ROOT, 'test/fixtures/failed-run.json'), 'utf8'),
  ) as object
  const resource = {
    ...{ timestamp: time, resource_type: 'Package', resource_title: 'nginx', skipped: false },
    ...{ containment_path: [], file: null, line: null },
    events: [
      {
        ...{ status: 'failure', timestamp: time, property: 'ensure', name: null },
        ...{ old_value: 'absent', new_value: 'present', message, corrective_change: false },
      },
    ],
  }
  return {
    ...report,
    ...{ certname: 'db1.example.com', status: 'failed', logs: [], resources: [resource] },
    ...{ producer_timestamp: time, start_time: time, end_time: time },
  }
}

beforeAll(async () => {
  const options = ['--json', '--port', '0', '--count', String(FORMATS.length)]
  catcher = spawn(process.execPath, [join(ROOT, 'local-catcher/dist/bin.js'), ...options])
  const lines = createInterface({ input: catcher.stdout! })
  const done = once(lines, 'close')
  lines.on('line', (line) => {
    const caught = JSON.parse(line) as Caught
    const { pathname } = new URL(caught.url, 'http://catcher')
    bodies.set(pathname.slice(1), JSON.parse(caught.body) as Record<string, unknown>)
    signed.set(
      pathname.slice(1),
      caught.headers.some(([name]) => name.toLowerCase() === 'webhook-signature'),
    )
  })
  const port = await portOf(catcher)
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve))
  const { port: mailPort } = mailServer.server.address() as AddressInfo
  service = await startLocalService({
    LOCAL_HOOKS: 'on',
    SMTP_URL: `smtp://reports:s3cret%3A%2F@127.0.0.1:${mailPort}`,
    SMTP_FROM: 'Puppet reports <reports@example.com>',
  })
  const byMail = { transition: 'failed', format: 'email', url: 'mailto:ops@example.com' }
  const made = await send('/admin/v1/hooks/to-mail', 'PUT', byMail)
  mailSecret = (await made.json<{ secret: string }>()).secret
  for (const format of FORMATS) {
    const hook = { transition: 'failed', format, url: `http://127.0.0.1:${port}/${format}` }
    expect((await send(`/admin/v1/hooks/to-${format}`, 'PUT', hook)).status).toBe(201)
  }
  const query = 'command=store_report&version=8&certname=db1.example.com'
  expect((await send(`/pdb/cmd/v1?${query}`, 'POST', failedRun(HOSTILE))).status).toBe(200)
  await service.tick(NOTIFY_CRON, new Date(Date.now() + MINUTE))
  await done
})
afterAll(async () => {
  catcher.kill()
  mailServer.close()
  await service.stop()
})

const LINK = /^http:\/\/127\.0\.0\.1:\d+\/console\/causes\/[0-9a-f]{16}\?since=all$/

describe('a chat gets the sentence, the reason and a link, and none of the reason’s mark-up', () => {
  it('Slack', () => {
    expect(bodies.get('slack')).toEqual({
      text: TITLE,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: TITLE, emoji: false } },
        {
          type: 'section',
          text: { type: 'plain_text', text: expect.stringContaining(HOSTILE), emoji: false },
        },
        {
          type: 'context',
          elements: [
            {
              type: 'mrkdwn',
              text: expect.stringMatching(
                /^<http:\/\/127\.0\.0\.1:\d+\/console\/causes\/[0-9a-f]{16}\?since=all\|Open the incident>$/,
              ),
            },
            { type: 'plain_text', text: 'to-slack', emoji: false },
          ],
        },
      ],
      unfurl_links: false,
    })
  })

  it('Teams', () => {
    const run = (text: unknown, style = {}) => ({
      type: 'RichTextBlock',
      inlines: [{ type: 'TextRun', text, ...style }],
    })
    expect(bodies.get('teams')).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            msteams: { width: 'Full' },
            body: [
              run(TITLE, { weight: 'Bolder', size: 'Medium' }),
              run(expect.stringContaining(HOSTILE)),
              run('to-teams', { isSubtle: true, size: 'Small' }),
            ],
            actions: [
              {
                type: 'Action.OpenUrl',
                title: 'Open the incident',
                url: expect.stringMatching(LINK),
              },
            ],
          },
        },
      ],
    })
  })

  it('Discord', () => {
    const { embeds, ...rest } = bodies.get('discord') as { embeds: Record<string, unknown>[] }
    expect(rest).toEqual({ allowed_mentions: { parse: [] } })
    expect(embeds).toEqual([
      {
        title: TITLE,
        url: expect.stringMatching(LINK),
        description: expect.stringContaining(
          'E: \\<!channel\\> \\@everyone \\*no\\* \\[here\\]\\(https://evil.example\\) & \\_package\\_ \\`x\\`',
        ),
        color: 0xc0281c,
        footer: { text: 'to-discord' },
        timestamp: expect.stringMatching(/Z$/),
      },
    ])
    expect(embeds[0]!['description']).toMatch(/\n\n\[Open the incident\]\(http:[^ )]*\)$/)
  })

  it('a webhook, as text and as data, signed as all are', () => {
    const { text, url, data } = bodies.get('webhook') as {
      text: string
      url: string
      data: object
    }
    expect(url).toMatch(LINK)
    const [title, reason, link] = text.split('\n')
    expect([title, link]).toEqual([TITLE, url])
    expect(reason).toContain(HOSTILE)
    expect(data).toMatchObject({ total: 1, reasons: [{ reason, nodes: 1 }] })
    expect([...signed.values()]).toEqual(FORMATS.map(() => true))
  })
})

describe('a mail', () => {
  const lastOutcome = async (): Promise<{ outcome: string; next_attempt: string | null }> => {
    const all = await (
      await fetch(`${service.url}/admin/v1/deliveries`)
    ).json<{ hook: string; outcome: string; next_attempt: string | null }[]>()
    return all.find(({ hook }) => hook === 'to-mail')!
  }

  it('that the server greylists is sent again, under its id', async () => {
    const { port } = mailServer.server.address() as AddressInfo
    expect(await lastOutcome()).toMatchObject({
      outcome: `the mail server 127.0.0.1:${port} answered: 451 4.7.1 Come back`,
      next_attempt: expect.any(String),
    })
    await service.tick(NOTIFY_CRON, new Date(Date.now() + 3 * MINUTE))
    expect(await lastOutcome()).toMatchObject({
      outcome: 'the mail server accepted it',
      next_attempt: null,
    })
    expect([mails.length, greylist.size]).toEqual([1, 1])
  })

  it('says what chats are told, in plain text', () => {
    const headers = headersOf(mails[0]!)
    expect(headers).toMatchObject({
      from: 'Puppet reports <reports@example.com>',
      to: 'ops@example.com',
      subject: TITLE,
      'auto-submitted': 'auto-generated',
      'list-id': '<to-mail.report-query-service.example.com>',
      'message-id': expect.stringMatching(/^<msg_[\w-]+@example\.com>$/),
      references: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/),
      'in-reply-to': headers['references'],
      'content-type': 'text/plain; charset=utf-8',
    })
    const [title, reason, link, hook] = bodyOf(mails[0]!).split('\n\n')
    expect([title, hook]).toEqual([TITLE, 'Sent by the hook to-mail.'])
    expect(reason).toContain(HOSTILE)
    const [name, url] = link!.split('\n')
    expect(name).toBe('Open the incident:')
    expect(url).toMatch(LINK)
  })

  it('is signed as other messages are', () => {
    const headers = headersOf(mails[0]!)
    const id = headers['webhook-id']
    const key = Buffer.from(mailSecret.replace('whsec_', ''), 'base64')
    const signature = createHmac('sha256', key)
      .update(`${id}.${headers['webhook-timestamp']}.${bodyOf(mails[0]!)}`)
      .digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
  })

  it.each([
    ['mailto:ops@example.com,all@example.com', 'one plain mail address'],
    ['mailto:ops@example.com?bcc=all@example.com', 'one plain mail address'],
    ['mailto:ops%0d%0aBcc:all@example.com', 'one plain mail address'],
    ['mailto:', 'one plain mail address'],
    ['https://chat.example.com/x', 'The format "email" is for mailto: addresses only.'],
  ])('to %s is refused', async (url, sentence) => {
    const hook = { transition: 'failed', format: 'email', url }
    const response = await send('/admin/v1/hooks/refused', 'PUT', hook)
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining(sentence),
    ])
  })

  it('has an address that is shown, and a format that it must have', async () => {
    const hooks = await (
      await fetch(`${service.url}/admin/v1/hooks`)
    ).json<{ name: string; to: string }[]>()
    expect(hooks.find(({ name }) => name === 'to-mail')?.to).toBe('mailto:ops@example.com')
    const response = await send('/admin/v1/hooks/to-mail', 'PATCH', { format: 'slack' })
    expect([response.status, await response.text()]).toEqual([
      400,
      'mailto: takes the format "email" only, not "slack".',
    ])
  })
})

describe('a hook by the API', () => {
  const call = async (path: string, method: string, body?: object) => {
    const response = await fetch(`${service.url}/admin/v1/hooks${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    return [response.status, await response.json()] as const
  }

  it('is changed where the body says so; the secret stays unless another is asked for', async () => {
    const changes = { format: 'teams', filter: 'environment = "production"' }
    expect(await call('/to-slack', 'PATCH', changes)).toEqual([
      200,
      { name: 'to-slack', secret: null },
    ])
    const [, hooks] = await call('', 'GET')
    expect((hooks as { name: string }[]).find(({ name }) => name === 'to-slack')).toMatchObject({
      ...{ transition: 'failed', ...changes },
    })
    expect(await call('/to-slack', 'PATCH', { new_secret: true })).toEqual([
      200,
      { name: 'to-slack', secret: expect.stringMatching(/^whsec_/) },
    ])
    expect((await call('/nobody', 'PATCH', changes))[0]).toBe(404)
  })

  it.each([
    [{ format: 'slak' }, `Did you mean 'slack'?`],
    [{ url: 'https://discord.com/api/webhooks/1/x' }, 'discord.com takes the format "discord"'],
    [
      { url: 'https://prod-1.westeurope.logic.azure.com/workflows/x', format: 'slack' },
      'takes the format "teams"',
    ],
  ])('%j is refused', async (changes, sentence) => {
    const response = await fetch(`${service.url}/admin/v1/hooks/to-webhook`, {
      method: 'PATCH',
      body: JSON.stringify(changes),
    })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining(sentence),
    ])
  })

  it('sends no mail of a message that was made for a chat', async () => {
    const [changed] = await call('/to-teams', 'PATCH', {
      ...{ format: 'email', url: 'mailto:ops@example.com' },
    })
    expect(changed).toBe(200)
    const deliveries = await (
      await fetch(`${service.url}/admin/v1/deliveries`)
    ).json<{ id: number; hook: string }[]>()
    const { id } = deliveries.find(({ hook }) => hook === 'to-teams')!
    const sent = await send(`/admin/v1/deliveries/${id}/replay`, 'POST', {})
    expect(await sent.json()).toEqual({
      outcome: "the message was made for another format and can't be sent as a mail",
    })
  })

  it('shows the message that it would send', async () => {
    const [, preview] = await call('/to-discord/preview', 'GET')
    expect(preview).toMatchObject({ total: 1, message: { embeds: [{ title: TITLE }] } })
  })
})
