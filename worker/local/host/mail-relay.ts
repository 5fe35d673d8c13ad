/** Sends mail for the runtime, on a socket of its own: the runtime speaks HTTP only, and the launcher SMTP. */

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import type { SendMailOptions } from 'nodemailer'
import {
  MAIL_TO_HEADER,
  readMailbox,
  readSmtpUrl,
  type Mail,
  type Mailbox,
  type SmtpServer,
} from '../../schema/mail.ts'

/** Connections to the mail server at the same time: services such as Exchange Online take three from a sender. */
const MOST_CONNECTIONS = 3
/** How long each step of a delivery may take, in ms: the Worker waits no longer for all of them. */
const STEP_MS = 10_000
const LONGEST_ANSWER = 200

/**
 * Listens on the socket until it is closed.
 *
 * @param settings with SMTP_URL and SMTP_FROM, without which the Worker asks for no mail
 */
export function serveMail(
  settings: Readonly<Record<string, string>>,
  socket: string,
): Promise<Server> {
  const slots = new Slots(MOST_CONNECTIONS)
  const server = createServer((request, response) => {
    // The runtime would send the next mail on a connection that is being closed for idleness.
    response.setHeader('connection', 'close')
    const abort = new AbortController()
    response.once('close', () => abort.abort())
    const send = async (): Promise<void> => {
      // The Worker waits no longer, and tries again: this attempt must not be a second mail.
      if (abort.signal.aborted) return
      await relay(settings, request, response, abort.signal)
    }
    slots.run(send).catch((error: Error) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end(error.message)
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, () => resolve(server))
  })
}

/** Runs a few works at a time; others wait for their turn. */
class Slots {
  private readonly waiting: (() => void)[] = []

  constructor(private free: number) {}

  async run(work: () => Promise<void>): Promise<void> {
    if (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.free--
    try {
      await work()
    } finally {
      const next = this.waiting.shift()
      if (next === undefined) this.free++
      else next()
    }
  }
}

async function relay(
  settings: Readonly<Record<string, string>>,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { SMTP_URL: url = '', SMTP_FROM: sender = '' } = settings
  const server = readSmtpUrl(url)
  const mail = envelopeOf(readMailbox(sender), request.headers, await textOf(request))
  // Few services send mail, and the launcher is small.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.tls === 'implicit',
    requireTLS: server.tls === 'required',
    ignoreTLS: server.tls === 'none',
    ...(server.login && { auth: { user: server.login.user, pass: server.login.password } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({ ...mail, signal })
    response.writeHead(200).end('the mail server accepted it')
  } catch (error) {
    response.writeHead(502).end(failureOf(error as SmtpError, server))
  } finally {
    transport.close()
  }
}

/** The mail with its headers. The id of the message stays the same in each attempt, so that mail servers know copies. */
function envelopeOf(
  from: Mailbox,
  headers: IncomingMessage['headers'],
  body: string,
): SendMailOptions {
  const { subject, text, hook, topic } = JSON.parse(body) as Mail
  const domain = from.address.slice(from.address.indexOf('@') + 1)
  const conversation = topic === null ? null : `<${idOf(topic)}@${domain}>`
  const header = (name: string): string => String(headers[name])
  return {
    from,
    to: { name: '', address: header(MAIL_TO_HEADER) },
    subject,
    text,
    messageId: `<${header('webhook-id')}@${domain}>`,
    // No mail has that id, and mail programs put answers to the same one together.
    ...(conversation !== null && { inReplyTo: conversation, references: [conversation] }),
    headers: {
      // RFC 3834, 5: so that nothing answers by itself.
      'Auto-Submitted': 'auto-generated',
      // RFC 2919: a name that filters of a mailbox can go by.
      'List-Id': `<${hook}.report-query-service.${domain}>`,
      'Webhook-Id': header('webhook-id'),
      'Webhook-Timestamp': header('webhook-timestamp'),
      'Webhook-Signature': header('webhook-signature'),
    },
  }
}

const idOf = (topic: string): string =>
  createHash('sha256').update(topic).digest('hex').slice(0, 32)

/** What nodemailer's errors have. */
interface SmtpError extends Error {
  readonly code?: string
  /** The server's answer, and its number. */
  readonly response?: string
  readonly responseCode?: number
}

/** Why a mail was not sent. What the server answers to a sign-in is left out: it may hold some of it. */
function failureOf(
  { code, response, responseCode, message }: SmtpError,
  { host, port }: SmtpServer,
): string {
  const server = `the mail server ${host.includes(':') ? `[${host}]` : host}:${port}`
  const why = (response ?? message).replaceAll(/\p{C}+/gu, ' ').slice(0, LONGEST_ANSWER)
  if (code === 'EAUTH')
    return `${server} refused the sign-in${responseCode === undefined ? '' : ` (${responseCode})`}`
  if (code === 'ETLS')
    return `${server} offers no TLS, which it must unless SMTP_URL ends in ?tls=off (${why})`
  if (response !== undefined) return `${server} answered: ${why}`
  if (code === 'EDNS') return `the name of ${server} can't be resolved`
  if (code === 'ETIMEDOUT') return `${server} did not answer within ${STEP_MS / 1000} s`
  if (/certificate|self.signed/i.test(message))
    return `the certificate of ${server} is not trusted (${why})`
  return `nothing answers at ${server}, or it closed the connection`
}
