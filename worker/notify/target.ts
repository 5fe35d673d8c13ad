/** Checks where messages go: to public addresses only, so that nobody uses the service to reach a private network. */

import { QueryError } from '../lib/errors.ts'

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

/**
 * Parses and checks the address of a hook.
 *
 * @param local whether loopback addresses are allowed (LOCAL_HOOKS)
 * @throws QueryError naming what is wrong
 */
export function targetOf(text: string, local: boolean): URL {
  const url = parsed(text)
  const { protocol, hostname, username, password } = url
  if (username !== '' || password !== '')
    throw new QueryError(
      'An address with a user name or a password is refused, since addresses are shown.',
    )
  if (local && /^https?:$/.test(protocol) && LOOPBACK.includes(hostname)) return url
  if (protocol !== 'https:')
    throw new QueryError(
      `${protocol}//${hostname} is refused: messages are sent by https only.${hintOf(hostname)}`,
    )
  const closed = closedHost(hostname)
  if (closed !== null)
    throw new QueryError(
      `${hostname} is refused: it is ${closed}, and messages are sent to public addresses only.${hintOf(hostname)}`,
    )
  return url
}

/** What opens the way to a receiver beside the service. */
const hintOf = (hostname: string): string =>
  LOOPBACK.includes(hostname)
    ? ` The setting LOCAL_HOOKS=on allows receivers on the service's own machine.`
    : ''

function parsed(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw new QueryError(`"${text}" is no address. An address looks like https://example.com/hook.`)
  }
}
