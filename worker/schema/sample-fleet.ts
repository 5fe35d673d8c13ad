/** The nodes of the sample fleet, with which `npm start` fills an empty database. Their domain is reserved for examples (RFC 2606). */

export const SAMPLE_CERTNAMES: readonly string[] = [
  'web-0001.ams.example.net',
  'web-0002.ams.example.net',
  'web-0003.ams.example.net',
  'gateway-0004.ams.example.net',
  'database-0005.ams.example.net',
  'database-0006.ams.example.net',
  'queue-0007.ams.example.net',
  'cache-0008.osl.example.net',
  'mail-0009.osl.example.net',
  'build-0010.osl.example.net',
  'storage-0011.osl.example.net',
  'build-0012.osl.example.net',
]
