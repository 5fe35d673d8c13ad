/**
 * Checks where messages go: to public addresses and to the hosts of HOOK_HOSTS, so that hooks open no other way into a
 * private network. The runtime checks the addresses to which names lead.
 */

import { QueryError } from '../lib/errors.ts'
import { routeOf, type HookHost, type HookNetworks } from '../schema/hook-hosts.ts'
import { isMailAddress } from '../schema/mail.ts'
import type { Settings } from '../schema/settings.ts'

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']

/** IPv4 networks that are not public: [first address, bits, kind]. */
const CLOSED: readonly (readonly [first: string, bits: number, what: string])[] = [
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private (carrier-grade NAT)'],
  ['127.0.0.0', 8, 'loopback'],
  ['168.63.129.16', 32, "the platform's own (Azure)"],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'for documentation'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'for benchmarks'],
  ['198.51.100.0', 24, 'for documentation'],
  ['203.0.113.0', 24, 'for documentation'],
  ['224.0.0.0', 3, 'multicast or reserved'],
]

/** Names that resolve within a machine, a cluster or a network. Source: RFC 6762 appendix G, RFC 8375, Kubernetes. */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa)\.?$/

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

function closedIPv4(address: string): string | null {
  const number = numberOf(address)
  const network = CLOSED.find(
    ([first, bits]) =>
      Math.floor(number / 2 ** (32 - bits)) === Math.floor(numberOf(first) / 2 ** (32 - bits)),
  )
  return network?.[2] ?? null
}

/** Of IPv6 only 2000::/3 is public, without the parts that carry IPv4 addresses or are for documentation. */
function closedIPv6(address: string): string | null {
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address)
  if (mapped) {
    const [high, low] = [parseInt(mapped[1]!, 16), parseInt(mapped[2]!, 16)]
    return closedIPv4([high >> 8, high & 255, low >> 8, low & 255].join('.'))
  }
  if (address === '::1') return 'loopback'
  if (/^fe[89a-f]/.test(address)) return 'link-local'
  if (/^f[cd]/.test(address)) return 'private'
  if (/^2001:(?:0:|:|db8:)|^2002:|^3fff:[0-9a-f]{0,3}:/.test(address))
    return 'for tunnels or documentation'
  if (/^2001:(?:2:0?:|[12][0-9a-f]:)/.test(address)) return 'for benchmarks or overlays'
  return /^[23]/.test(address) ? null : 'reserved'
}

/** Why messages may not go to a host; null if they may. */
function closedHost(host: string): string | null {
  const [, six] = /^\[(.*)\]$/.exec(host) ?? []
  if (six !== undefined) return closedIPv6(six)
  if (/^[\d.]+$/.test(host)) return closedIPv4(host)
  if (LOCAL_NAME.test(host) || !host.includes('.')) return 'a name of a local network'
  return null
}

/** Where hooks may deliver to, beside public addresses. */
export interface HookReach {
  /** Whether to this machine (LOCAL_HOOKS). */
  readonly local: boolean
  /** HOOK_HOSTS. */
  readonly hosts: readonly HookHost[]
  /** Null on Workers, which reach public addresses only. */
  readonly networks: HookNetworks | null
  /** Whether there are a mail server and a sender (SMTP_URL, SMTP_FROM). */
  readonly mails: boolean
}

export const hookReachOf = (
  { LOCAL_HOOKS, HOOK_HOSTS, SMTP_URL, SMTP_FROM }: Settings,
  networks: HookNetworks | null,
): HookReach => ({
  local: LOCAL_HOOKS === 'on',
  hosts: HOOK_HOSTS,
  networks,
  mails: SMTP_URL !== null && SMTP_FROM !== null,
})

/** An address that was checked, and how to reach it. */
export interface HookTarget {
  readonly url: URL
  readonly fetch: typeof fetch
  /** Whether the launcher sends a mail, and answers with the outcome as a sentence. */
  readonly isMail: boolean
}

/**
 * Parses and checks the address of a hook.
 *
 * @throws QueryError naming what is wrong
 */
export function targetOf(text: string, reach: HookReach): HookTarget {
  const url = parsed(text)
  const { protocol, hostname, username, password } = url
  if (protocol === 'mailto:') return mailTarget(url, reach)
  if (username !== '' || password !== '')
    throw new QueryError(
      'An address with a user name or a password is refused, since addresses are shown.',
    )
  const open: HookTarget = { url, fetch: (...request) => fetch(...request), isMail: false }
  const isWeb = /^https?:$/.test(protocol)
  if (reach.local && isWeb && LOOPBACK.includes(hostname)) return open
  const route = reach.networks === null ? null : routeOf(reach.hosts, url)
  const network = route === null ? null : reach.networks![route]
  const target: HookTarget =
    network === null ? open : { ...open, fetch: (...request) => network.fetch(...request) }
  if (route !== null && route !== 'other' && isWeb) return target
  if (protocol !== 'https:')
    throw new QueryError(
      `${protocol}//${hostname} is refused: messages are sent over HTTPS only.${hintOf(hostname, reach)}`,
    )
  const closed = route === 'other' ? null : closedHost(hostname)
  if (closed !== null)
    throw new QueryError(
      `${hostname} is refused: it is ${closed}, and messages are sent to public addresses only.${hintOf(hostname, reach)}`,
    )
  return target
}

/** The address of a `mailto:` target. */
export const mailAddressOf = ({ pathname }: URL): string => pathname

/** @throws QueryError */
function mailTarget(url: URL, { networks, mails }: HookReach): HookTarget {
  if (networks === null)
    throw new QueryError(
      `mailto: is refused: a Worker can't speak SMTP. Run the service on a server of your own, or send to a mail gateway that takes webhooks.`,
    )
  if (!mails)
    throw new QueryError('mailto: is refused: mail needs the settings SMTP_URL and SMTP_FROM.')
  if (!isMailAddress(mailAddressOf(url)) || url.search !== '' || url.hash !== '')
    throw new QueryError(
      'A mailto: address is one plain mail address, such as mailto:ops@example.com.',
    )
  return { url, fetch: (_, init) => networks.mail.fetch('http://mail/', init), isMail: true }
}

/** How to allow a receiver that is not public. */
function hintOf(hostname: string, { hosts, networks }: HookReach): string {
  if (LOOPBACK.includes(hostname))
    return ` The setting LOCAL_HOOKS=on allows receivers on the service's own machine.`
  if (networks !== null) return ' The setting HOOK_HOSTS allows hosts of private networks.'
  return hosts.length > 0
    ? ' HOOK_HOSTS has no effect on Cloudflare: a Worker reaches public addresses only.'
    : ''
}

function parsed(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new QueryError(
      `"${text}" isn't an address. An address looks like https://example.com/hook.`,
    )
  }
}
