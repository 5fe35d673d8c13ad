/** The hosts outside public networks that hooks may deliver to, as HOOK_HOSTS lists them. */

import { matchesGlob } from '../lib/glob.ts'
import { isInNetwork, readIpAddress, readIpNetwork, type IpNetwork } from '../lib/ip-address.ts'
import { Unreadable } from './readers.ts'

/** An entry of the list. */
export interface HookHost {
  /** A name, or a pattern of names; null for an entry of addresses. */
  readonly name: string | null
  /** What an entry of addresses allows, in CIDR notation; for `localhost` also its networks. */
  readonly networks: readonly string[]
  /** Null for any port. */
  readonly port: number | null
}

/** Where the name `localhost` leads. Source: RFC 6761, section 6.3. */
const LOCALHOST = ['127.0.0.0/8', '::1/128'] as const

/**
 * How a host is reached:
 *
 * - `name`: its name is on the list. It may lead to private addresses, but not to this machine or to link-local
 *   addresses, since a pattern covers names that other machines of the network choose.
 * - `address`: it is an address on the list, or `localhost`.
 * - `other`: it is not on the list as written. It may lead to public addresses and to networks on the list.
 */
export const HOOK_ROUTES = ['name', 'address', 'other'] as const
export type HookRoute = (typeof HOOK_ROUTES)[number]

/** The network of each route, and the launcher, which sends mail. */
export type HookNetworks = Readonly<Record<HookRoute | 'mail', Pick<Fetcher, 'fetch'>>>

const EXPECTED =
  'hosts with commas or spaces between them, such as chat.corp.lan, *.corp.lan:8443, 10.1.2.3 or 10.1.0.0/16'

/** @throws Unreadable */
export const readHookHosts = (text: string): readonly HookHost[] =>
  text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(readHookHost)

const NAME = /^(?=.*[a-z*])(?:[\w*-]+\.)*[\w*-]+$/

function readHookHost(entry: string): HookHost {
  const network = readIpNetwork(entry)
  if (network !== null) return { name: null, networks: [cidrOf(entry)], port: null }
  const [, bracketed, plain, bits = '', digits] =
    /^(?:\[([^\]]*)\]|([^:/[\]]*))(\/\d+)?(?::(\d{1,5}))?$/.exec(entry.toLowerCase()) ?? []
  const host = bracketed ?? plain ?? ''
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && (port < 1 || port > 65_535)) throw wrong(entry)
  if (readIpNetwork(host + bits) !== null)
    return { name: null, networks: [cidrOf(host + bits)], port }
  if (bracketed !== undefined || bits !== '' || !NAME.test(host)) throw wrong(entry)
  return host === 'localhost'
    ? { name: host, networks: LOCALHOST, port }
    : { name: host, networks: [], port }
}

const wrong = (entry: string): Unreadable => new Unreadable(`${EXPECTED}; not "${entry}"`)

const cidrOf = (text: string): string => {
  if (text.includes('/')) return text
  return text.includes(':') ? `${text}/128` : `${text}/32`
}

/** How an address of a hook is reached; null for one whose host is not on the list as written, if no network without a port is. */
export function routeOf(hosts: readonly HookHost[], url: URL): HookRoute | null {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const host = url.hostname.replace(/\.$/, '')
  const address = readIpAddress(host.replace(/^\[(.*)\]$/, '$1'))
  const found = hosts.find(
    (one) => (one.port === null || one.port === port) && lists(one, host, address),
  )
  if (found !== undefined) return found.networks.length === 0 ? 'name' : 'address'
  return address === null && hosts.some(isOpenNetwork) ? 'other' : null
}

function lists({ name, networks }: HookHost, host: string, address: bigint | null): boolean {
  if (name !== null) return address === null && matchesGlob(name, host)
  return (
    address !== null &&
    networks.some((one) => isInNetwork(readIpNetwork(one) as IpNetwork, address))
  )
}

/** Whether names that are not on the list may lead there. */
const isOpenNetwork = ({ name, port }: HookHost): boolean => name === null && port === null

/** Networks that names on the list never lead to, unless addresses of them are on the list: this machine and its links. */
const OWN_LINKS = ['127.0.0.0/8', '::1/128', '169.254.0.0/16', 'fe80::/10', '168.63.129.16/32']

/** The addresses that each route allows and denies, in the runtime's form. It denies what both lists hold, unless the allowed network is smaller. */
export function networksOf(
  hosts: readonly HookHost[],
): Readonly<
  Record<HookRoute, { readonly allow: readonly string[]; readonly deny: readonly string[] }>
> {
  const open = hosts.filter(isOpenNetwork).flatMap(({ networks }) => networks)
  return {
    name: {
      allow: ['public', 'private', ...open],
      deny: OWN_LINKS.filter((own) => !open.some((one) => holds(one, own))),
    },
    address: { allow: hosts.flatMap(({ networks }) => networks), deny: [] },
    other: { allow: ['public', ...open], deny: [] },
  }
}

/** Whether all addresses of the second network are in the first. */
function holds(one: string, other: string): boolean {
  const [outer, inner] = [one, other].map((cidr) => readIpNetwork(cidr) as IpNetwork)
  return outer!.bits <= inner!.bits && isInNetwork(outer!, inner!.address)
}
