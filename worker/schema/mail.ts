/** Mail: the server of SMTP_URL, and addresses of people and lists. */

import { Unreadable } from './readers.ts'

/** A mail server as SMTP_URL names it. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** `implicit` from the first byte, `required` by STARTTLS before anything is sent, or `none`. */
  readonly tls: 'implicit' | 'required' | 'none'
  /** Null for a server without sign-in. */
  readonly login: { readonly user: string; readonly password: string } | null
}

/** Source: RFC 8314 for 465, RFC 6409 for 587. */
const PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 }
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** The address is a secret, so that no sentence has any of it. */
const EXPECTED =
  'smtps://USER:PASSWORD@HOST:465 or smtp://USER:PASSWORD@HOST:587, where USER:PASSWORD@ and the port may be missing, other characters than letters and digits of USER and PASSWORD are percent-encoded, and ?tls=off sends in plain text'

/**
 * Over `smtp:` TLS is required, but not to this machine: its server may have no certificate for `localhost`.
 *
 * @throws Unreadable, without any of the text
 */
export function readSmtpUrl(text: string): SmtpServer {
  const wrong = new Unreadable(EXPECTED)
  const url = urlOf(text)
  if (url === null) throw wrong
  const { protocol, hostname, port, username, password, pathname, search, hash } = url
  const standard = PORTS[protocol]
  if (standard === undefined || hostname === '' || /[^\w.:[\]-]/.test(hostname)) throw wrong
  if ((pathname !== '' && pathname !== '/') || hash !== '') throw wrong
  if ((username === '') !== (password === '')) throw wrong
  const isPlain = search === '?tls=off'
  if ((search !== '' && !isPlain) || (isPlain && protocol === 'smtps:')) throw wrong
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? standard : Number(port),
    tls:
      protocol === 'smtps:' ? 'implicit' : isPlain || LOOPBACK.test(hostname) ? 'none' : 'required',
    login: username === '' ? null : { user: decoded(username), password: decoded(password) },
  }
}

function urlOf(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** @throws Unreadable */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Unreadable(EXPECTED)
  }
}

/** Source: RFC 5321, sections 4.1.2 (Dot-string) and 4.5.3.1 (64 and 254 octets). */
const ADDRESS =
  /^(?=.{1,254}$)(?=[^@]{1,64}@)[\w!#$&'*+/=?^`{|}~-]+(?:\.[\w!#$&'*+/=?^`{|}~-]+)*@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i

/** Whether it is one plain mail address: no name, no list, no control character. */
export const isMailAddress = (text: string): boolean => ADDRESS.test(text)

export interface Mailbox {
  /** Empty without one. */
  readonly name: string
  readonly address: string
}

/** Reads `reports@example.com` or `Puppet reports <reports@example.com>`. @throws Unreadable */
export function readMailbox(text: string): Mailbox {
  const [, name = '', bracketed] = /^([^<>"\p{Cc}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  const address = bracketed ?? text.trim()
  if (!isMailAddress(address))
    throw new Unreadable(
      'a mail address such as reports@example.com or Puppet reports <reports@example.com>',
    )
  return { name: name.trim(), address }
}

/** The header by which the Worker tells the launcher whom a mail is for. */
export const MAIL_TO_HEADER = 'x-mail-to'

/** A mail as the Worker gives it to the launcher, in JSON. */
export interface Mail {
  readonly subject: string
  readonly text: string
  /** The name of the hook. */
  readonly hook: string
  /** Mails of the same topic are a conversation; null for one that starts its own. */
  readonly topic: string | null
}
