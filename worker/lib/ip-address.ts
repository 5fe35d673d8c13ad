/** Addresses and networks of IPv4 and IPv6 as numbers. An IPv4 address is read as the IPv6 address that it is mapped to. */

/** A block of addresses. */
export interface IpNetwork {
  /** The first 128 bits of it, the others zero or not. */
  readonly address: bigint
  /** How many of the 128 bits all addresses of the network share. */
  readonly bits: number
}

const ADDRESS_BITS = 128
/** Of `::ffff:0:0/96`, which holds IPv4 addresses. Source: RFC 4291, section 2.5.5.2. */
const MAPPED_BITS = 96
const MAPPED = 0xffffn << 32n

/** An address, without brackets. @returns null for a text that is none */
export function readIpAddress(text: string): bigint | null {
  const four = readIpv4(text)
  if (four !== null) return MAPPED | four
  const [head, last] = /^(.*:)([\d.]+)$/.exec(text)?.slice(1) ?? []
  const tail = last?.includes('.') ? readIpv4(last) : null
  if (tail === null) return readIpv6(text)
  return readIpv6(`${head}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`)
}

function readIpv4(text: string): bigint | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return null
  return parts.every((part) => Number(part) < 256)
    ? parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
    : null
}

function readIpv6(text: string): bigint | null {
  const halves = text.split('::')
  if (!text.includes(':') || halves.length > 2) return null
  const [before = [], after = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - before.length - after.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after]
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

/** An address, or a network in CIDR notation. @returns null for a text that is neither */
export function readIpNetwork(text: string): IpNetwork | null {
  const [, address = '', given] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const value = readIpAddress(address)
  if (value === null) return null
  const skipped = address.includes(':') ? 0 : MAPPED_BITS
  const bits = given === undefined ? ADDRESS_BITS : Number(given) + skipped
  return bits > ADDRESS_BITS ? null : { address: value, bits }
}

export const isInNetwork = ({ address, bits }: IpNetwork, candidate: bigint): boolean =>
  (address ^ candidate) >> BigInt(ADDRESS_BITS - bits) === 0n
