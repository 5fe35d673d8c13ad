/** Files of TLS that can't be used, or not for long: each has its sentence. */

import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expirySentences,
  readTlsFiles,
  type TlsFiles,
} from '../../worker/local/host/certificate-files.ts'
import { ROOT } from './local-service.ts'

const fixture = (name: string): string => join(ROOT, 'test/fixtures/tls', name)
const GOOD: TlsFiles = {
  cert: fixture('server.pem'),
  key: fixture('server.key'),
  clientCa: fixture('ca.pem'),
  clientCrl: fixture('crl-web-2.pem'),
}

let folder = ''
const made = (name: string): string => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'))
  await writeFile(made('empty'), '')
  const words = [
    'pkey',
    '-aes256',
    '-passout',
    'pass:word',
    '-in',
    GOOD.key,
    '-out',
    made('locked'),
  ]
  execFileSync('openssl', words)
  const ca = await readFile(fixture('ca.pem'), 'utf8')
  await writeFile(made('cut'), ca.slice(0, -200))
  await writeFile(made('damaged'), `${ca}${ca.replace(/\n.{10}/, '\nAAAAAAAAAA')}`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('readTlsFiles refuses', () => {
  it.each<[string, () => Partial<TlsFiles>, string]>([
    [
      'a key of another certificate',
      () => ({ key: fixture('web-1.key') }),
      'The key in .*web-1.key is not the key of the certificate in .*server.pem.',
    ],
    ['a key without a key', () => ({ key: GOOD.cert }), 'server.pem holds no private key in PEM.'],
    [
      'an encrypted key',
      () => ({ key: made('locked') }),
      'locked is encrypted, .*: openssl pkey -in .*locked -out FILE',
    ],
    ['a certificate without one', () => ({ cert: GOOD.key }), 'server.key holds no certificate'],
    ['no authority', () => ({ clientCa: made('empty') }), 'empty holds no certificate in PEM.'],
    ['half an authority', () => ({ clientCa: made('cut') }), 'cut holds no certificate in PEM.'],
    ['a damaged one', () => ({ clientCa: made('damaged') }), 'Certificate 2 in .* is damaged.'],
    [
      'no list',
      () => ({ clientCrl: GOOD.cert }),
      'server.pem holds no certificate revocation list',
    ],
    ['a folder', () => ({ cert: folder }), "can't be read \\(EISDIR\\)."],
  ])('%s', (_, changed, sentence) => {
    expect(() => readTlsFiles({ ...GOOD, ...changed() })).toThrow(new RegExp(sentence))
  })
})

it.each([
  ['2026-11-23', []],
  ['2126-10-15', ['expires on 2126-10-29. Renew it before.']],
  ['2126-11-15', ['has expired on 2126-10-29. ']],
  ['2001-01-01', ['is not valid before 20']],
])('tells on %s of what expires', (today, sentences) => {
  const told = expirySentences(GOOD, Date.parse(today))
  const expected = sentences.flatMap((sentence) => [
    expect.stringContaining(`"CN=localhost" in ${GOOD.cert} ${sentence}`),
    expect.stringContaining(`"CN=Test CA" in ${GOOD.clientCa} ${sentence}`),
  ])
  expect(told).toEqual(expected)
})
