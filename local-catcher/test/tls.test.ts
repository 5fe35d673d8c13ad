import { execFile, execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect, createServer, type AddressInfo } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { send as sendOne, startCatcher } from '../src/index.js'
import {
  finish,
  finishProcess,
  isRefused,
  lacks,
  launch,
  sendRaw,
  temporaryFolder,
} from './launch.js'

/** Sends a request; gives the status, or the code of the failure. */
const send = (url: string, ca: string | undefined) =>
  new Promise<string>((resolve) => {
    const sent = request(url, { method: 'POST', ...(ca && { ca }), agent: false }, (response) => {
      response.resume()
      resolve(String(response.statusCode))
    })
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''))
    sent.end('x')
  })

it('speaks HTTPS with a certificate made for the run, which senders can trust', async () => {
  await using catcher = await startCatcher({ https: true })
  const ca = catcher.certificate!
  expect(catcher.url).toMatch(/^https:/)
  const certificate = new X509Certificate(ca)
  expect(certificate.subjectAltName).toBe(
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  )
  expect(certificate.checkIssued(certificate)).toBe(true)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(await send(`${catcher.url}/a`, ca)).toBe('200')
  expect(await send(catcher.url.replace('127.0.0.1', 'localhost'), ca)).toBe('200')
  expect(await send(catcher.url, undefined)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  await using other = await startCatcher({ https: true })
  expect(await send(catcher.url, other.certificate!)).not.toBe('200')
  expect(catcher.requests.length).toBe(2)
})

it.skipIf(lacks('openssl'))('makes a certificate that OpenSSL takes', async () => {
  await using catcher = await startCatcher({ https: true })
  const text = execFileSync('openssl', ['x509', '-noout', '-text'], {
    input: catcher.certificate!,
  }).toString()
  expect(text).toMatch(/ecdsa-with-SHA256[^]*TLS Web Server Authentication/)
})

it.skipIf(lacks('curl'))('gives a command what it takes to trust the certificate', async () => {
  const script = 'curl -s --cacert "$LOCAL_CATCHER_CA" -d x "$LOCAL_CATCHER_URL/ran"'
  const command = ['--', 'sh', '-c', `${script}; cp "$NODE_EXTRA_CA_CERTS" /dev/null`]
  const { code, screen, talk } = await finish(['-p', '0', '--https', '-n', '1', ...command])
  expect([code, screen]).toEqual([0, expect.stringContaining('POST /ran HTTP/1.1')])
  const file = /certificate for senders to trust: (\S+)\nlocal-catcher listening on https:/.exec(
    talk,
  )!
  expect(() => readFileSync(file[1])).toThrow('ENOENT')
})

it('adds its certificate to those that the environment has already', async () => {
  const company = `${temporaryFolder()}/company.pem`
  writeFileSync(company, 'COMPANY\n')
  const script = `const text=fs.readFileSync(process.env.NODE_EXTRA_CA_CERTS,'utf8')
    process.exit(/^-----BEGIN CERT[^]*-\\nCOMPANY\\n$/.test(text)?0:1)`
  const command = ['--', process.execPath, '-e', script]
  const { code } = await finish(['-p', '0', '--https', ...command], {
    NODE_EXTRA_CA_CERTS: company,
  })
  expect(code).toBe(0)
})

it('says that there is no folder for the certificate', async () => {
  const { code, talk } = await finishProcess(['-p', '0', '--https'], { TMPDIR: '/nowhere' })
  expect(code).toBe(2)
  expect(talk).toContain('the certificate cannot be written for senders: ENOENT')
})

it('resets the connection below TLS where a rule says so', async () => {
  await using catcher = await startCatcher({ https: true, rules: [{ fault: 'reset' }] })
  expect(await send(catcher.url, catcher.certificate!)).toBe('ECONNRESET')
  expect(catcher.requests[0]).toMatchObject({ outcome: 'reset', answer: null })
})

it('tells who failed at the handshake, and why, in one block without empty lines', async () => {
  const catcher = await launch(['--https'])
  const plain = connect(catcher.port, '127.0.0.1')
  plain.write('POST / HTTP/1.1\r\n\r\n')
  await new Promise((resolve) => plain.once('connect', resolve))
  const { localPort } = plain
  await new Promise((resolve) => plain.on('close', resolve).on('error', () => {}))
  const cause = 'the sender spoke plain HTTP to a TLS port: use https://'
  await expect
    .poll(catcher.screen)
    .toMatch(
      new RegExp(
        `^#1 malformed {2}\\S+ {2}127\\.0\\.0\\.1:${localPort} ---\n${cause}\nnot answered: malformed · `,
      ),
    )
  await catcher.stop()
})

it('ends the connection of a sender that breaks TLS after the handshake, and says so', async () => {
  await using catcher = await startCatcher({ https: true })
  let breakTls = () => {}
  const relay = createServer((sender) => {
    const receiver = connect(catcher.port, '127.0.0.1').on('error', () => {})
    breakTls = () => receiver.write('no TLS at all')
    sender
      .on('error', () => {})
      .pipe(receiver)
      .pipe(sender)
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  const sender = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  sender.on('error', () => {})
  await once(sender, 'secureConnect')
  sender.write('POST /half HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nab')
  await once(sender, 'data')
  breakTls()
  await expect.poll(() => catcher.requests.length).toBe(1)
  expect(catcher.requests[0]).toMatchObject({ path: '/half', outcome: 'malformed', answer: null })
  // The second is the sentence of newer OpenSSL.
  expect(catcher.requests[0].cause).toMatch(
    /^the sender broke off TLS: .*(?:wrong version number|bad record type)/i,
  )
  relay.close()
  sender.destroy()
})

it.skipIf(lacks('curl'))('tells that the sender does not trust the certificate', async () => {
  const catcher = await launch(['--https'])
  await expect(promisify(execFile)('curl', ['-s', '-d', 'x', catcher.url])).rejects.toThrow()
  await expect.poll(catcher.screen).toContain('the sender does not trust the certificate')
  await catcher.stop()
  expect(await isRefused(catcher.port)).toBe(true)
})

it('says what is wrong where it sends to the other kind of server, or to one that is not trusted', async () => {
  const [plain, secret] = [await launch(), await launch(['--https'])]
  const errorFrom = async (url: string) => (await sendOne(url)).error
  expect([await errorFrom(`https://127.0.0.1:${plain.port}`), await errorFrom(secret.url)]).toEqual(
    [
      `127.0.0.1:${plain.port} does not speak TLS: use http://`,
      `the certificate of 127.0.0.1:${secret.port} is not trusted: name its authority in NODE_EXTRA_CA_CERTS`,
    ],
  )
  await plain.stop()
  await secret.stop()
})

it('is silent about a connection that says nothing, also on a TLS port', async () => {
  const catcher = await launch(['--https'])
  await sendRaw(catcher.port, '', true)
  expect(await catcher.stop()).toBe(0)
  expect(catcher.screen()).toBe('')
})
