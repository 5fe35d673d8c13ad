// A certificate for this machine, made anew for each run: X.509 (RFC 5280) written in DER (X.690).
import { isIP } from 'node:net'

const [INTEGER, BIT_STRING, OCTET_STRING, OBJECT_ID, UTF8_STRING, UTC_TIME] = [2, 3, 4, 6, 12, 23]
const [SEQUENCE, SET, BOOLEAN] = [0x30, 0x31, 1]
const HOUR = 3_600_000
const VALID = 7 * 24 * HOUR

/** One element: its tag, its length, and what it holds. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** An object identifier like '2.5.4.3'. */
function oid(text: string): Buffer {
  const [first, second, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const number of rest) {
    const digits = [number & 0x7f]
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
    bytes.push(...digits)
  }
  return der(OBJECT_ID, Buffer.from(bytes))
}

const utcTime = (time: number) =>
  der(UTC_TIME, Buffer.from(new Date(time).toISOString().replace(/^..|[-:T]|\.\d+/g, '')))

const extension = (id: string, isCritical: boolean, value: Buffer) =>
  der(
    SEQUENCE,
    oid(id),
    ...(isCritical ? [der(BOOLEAN, Buffer.from([0xff]))] : []),
    der(OCTET_STRING, value),
  )

/** The bytes of an IP address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head, tail] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head.length - (tail?.length ?? 0)).fill('0')
  const groups = [...head, ...zeros, ...(tail ?? [])]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** A name that the certificate is for: [2] a host name, [7] an address. */
const generalName = (name: string) =>
  isIP(name) === 0 ? der(0x82, Buffer.from(name)) : der(0x87, addressBytes(name))

/**
 * Makes a certificate for localhost and the address listened on, good for a week, and its key, both
 * as PEM. It signs itself, so senders have to trust it.
 */
export function makeCertificate(host: string): { cert: string; key: string } {
  const { generateKeyPairSync, randomBytes, sign } = process.getBuiltinModule('node:crypto')
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])]
  const algorithm = der(SEQUENCE, oid('1.2.840.10045.4.3.2'))
  const commonName = der(SEQUENCE, oid('2.5.4.3'), der(UTF8_STRING, Buffer.from('local-catcher')))
  const name = der(SEQUENCE, der(SET, commonName))
  const now = Date.now()
  const serial = randomBytes(16)
  // Positive, and not shorter for a leading zero.
  serial[0] = (serial[0] & 0x3f) | 0x40
  // basicConstraints, keyUsage, extKeyUsage and subjectAltName: its own authority, and a server.
  const extensions = [
    extension('2.5.29.19', true, der(SEQUENCE, der(BOOLEAN, Buffer.from([0xff])))),
    extension('2.5.29.15', true, der(BIT_STRING, Buffer.from([2, 0x84]))),
    extension('2.5.29.37', false, der(SEQUENCE, oid('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', false, der(SEQUENCE, ...names.map(generalName))),
  ]
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serial),
    algorithm,
    name,
    der(SEQUENCE, utcTime(now - HOUR), utcTime(now + VALID)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, der(SEQUENCE, ...extensions)),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const whole = der(SEQUENCE, toBeSigned, algorithm, der(BIT_STRING, Buffer.from([0]), signature))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}
