// A certificate for this machine, made anew for each run: X.509 (RFC 5280) written in DER (X.690).
const [INTEGER, BIT_STRING, OCTET_STRING, UTF8_STRING, UTC_TIME] = [2, 3, 4, 12, 23]
const [SEQUENCE, SET] = [0x30, 0x31]
const TRUE = Buffer.from('0101ff', 'hex')
const HOUR = 3_600_000
const VALID = 7 * 24 * HOUR

/** One element: its tag, its length, and what it holds. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** The object identifiers that a certificate needs, as DER in hex. */
const OID = {
  ecdsaWithSha256: '06082a8648ce3d040302',
  commonName: '0603550403',
  basicConstraints: '0603551d13',
  keyUsage: '0603551d0f',
  extKeyUsage: '0603551d25',
  serverAuth: '06082b06010505070301',
  subjectAltName: '0603551d11',
}
const oid = (name: keyof typeof OID) => Buffer.from(OID[name], 'hex')

const utcTime = (time: number) =>
  der(UTC_TIME, Buffer.from(new Date(time).toISOString().replace(/^..|[-:T]|\.\d+/g, '')))

const extension = (name: keyof typeof OID, value: Buffer, ...critical: readonly Buffer[]) =>
  der(SEQUENCE, oid(name), ...critical, der(OCTET_STRING, value))

/** The names that the certificate is for: [2] a host name, [7] an address. */
const NAMES = [
  der(0x82, Buffer.from('localhost')),
  der(0x87, Buffer.from([127, 0, 0, 1])),
  der(0x87, Buffer.alloc(16).fill(1, 15)),
]

/**
 * Makes a certificate for this machine, good for a week, and its key, both as PEM. It signs itself, so senders have to trust it.
 */
export function makeCertificate(): { cert: string; key: string } {
  const crypto = process.getBuiltinModule('node:crypto')
  const { publicKey, privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = der(SEQUENCE, oid('ecdsaWithSha256'))
  const commonName = [oid('commonName'), der(UTF8_STRING, Buffer.from('local-catcher'))]
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, ...commonName)))
  const now = Date.now()
  const serial = crypto.randomBytes(16)
  // Positive, and not shorter for a leading zero.
  serial[0] = (serial[0] & 0x3f) | 0x40
  // It is its own authority, and that of a server.
  const extensions = [
    extension('basicConstraints', der(SEQUENCE, TRUE), TRUE),
    extension('keyUsage', der(BIT_STRING, Buffer.from([2, 0x84])), TRUE),
    extension('extKeyUsage', der(SEQUENCE, oid('serverAuth'))),
    extension('subjectAltName', der(SEQUENCE, ...NAMES)),
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
  const signature = crypto.sign('sha256', toBeSigned, privateKey)
  const whole = der(SEQUENCE, toBeSigned, algorithm, der(BIT_STRING, Buffer.from([0]), signature))
  return {
    cert: new crypto.X509Certificate(whole).toString(),
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}
