/** What the first page of a service without reports tells its operator to give to Puppet. */

import { expect, it } from 'vitest'
import { SAMPLE_CERTNAMES } from '../../worker/schema/sample-fleet.ts'
import { store } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { HOUR, run } from './console-runs.ts'
import { readPage } from './page.ts'

const OPEN = { ACCESS: 'open' }
const TOKENS = { TOKENS: tokenLine('reader', 'read') }
const CERTIFICATES = { ...TOKENS, CLIENT_CERTIFICATES: 'puppet.example.com submit certname=*' }

const commandFor = (url: string, more = ''): string =>
  `puppet apply --report --reports http --reporturl ${url}${more} -e 'notify { "hello": }'`
const serverFor = (url: string, more = ''): string =>
  `[server] reports = store,http reporturl = ${url}${more}`
const TERMINUS = (url: string): readonly string[] => [
  `[main] server_urls = ${url}`,
  '[server] reports = store,puppetdb',
]
const STORE_OPTION = ' --report_include_system_store'
const STORE_LINE = ' report_include_system_store = true'

/**
 * PuppetDB's terminus refuses `server_urls` without TLS ("must be https"), and presents certificates only. Puppet's
 * `http` trusts public authorities if it is told so.
 */
it.each([
  [
    'open, on loopback',
    OPEN,
    'http://127.0.0.1:8787',
    [commandFor('http://127.0.0.1:8787/reports'), serverFor('http://127.0.0.1:8787/reports')],
  ],
  [
    'open, without HTTPS',
    OPEN,
    'http://reports.example:8787',
    [
      commandFor('http://reports.example:8787/reports'),
      serverFor('http://reports.example:8787/reports'),
    ],
  ],
  [
    'open',
    OPEN,
    'https://reports.example',
    [
      commandFor('https://reports.example/reports', STORE_OPTION),
      serverFor('https://reports.example/reports', STORE_LINE),
      ...TERMINUS('https://reports.example'),
    ],
  ],
  [
    'closed by tokens, on loopback',
    TOKENS,
    'http://localhost:8787',
    [
      commandFor('http://any:TOKEN@localhost:8787/reports'),
      serverFor('http://any:TOKEN@localhost:8787/reports'),
    ],
  ],
  [
    'closed by tokens',
    TOKENS,
    'https://reports.example',
    [
      commandFor('https://any:TOKEN@reports.example/reports', STORE_OPTION),
      serverFor('https://any:TOKEN@reports.example/reports', STORE_LINE),
    ],
  ],
  [
    'closed by tokens and certificates',
    CERTIFICATES,
    'https://reports.example:8081',
    [
      commandFor('https://reports.example:8081/reports'),
      serverFor('https://reports.example:8081/reports'),
      serverFor('https://any:TOKEN@reports.example:8081/reports', STORE_LINE),
      ...TERMINUS('https://reports.example:8081'),
    ],
  ],
])('%s: lines that Puppet takes for %3$s', async (_, settings, origin, lines) => {
  const headers = { accept: 'text/html', 'x-authentication': 'reader' }
  const page = await readPage(await closed(settings).request('/console', { headers }, origin))
  expect(await page.texts('pre.msg')).toEqual(lines)
})

it.each([
  ['http://127.0.0.1:8787', OPEN, /from the machine that runs this service.*can't reach/, /token/],
  ['https://reports.example', OPEN, /from any machine with Puppet/, /token|can't reach/],
  ['https://reports.example', TOKENS, /TOKEN is a token with the scope submit/, /certificate/],
  [
    'https://reports.example',
    CERTIFICATES,
    /presents its certificate, .* TOKEN is a token/,
    /can't reach/,
  ],
])('%s: names what else is needed, and nothing more', async (origin, settings, named, unnamed) => {
  const headers = { accept: 'text/html', 'x-authentication': 'reader' }
  const page = await readPage(await closed(settings).request('/console', { headers }, origin))
  const [card] = await page.texts('section.card')
  expect(card).toMatch(named)
  expect(card).not.toMatch(unnamed)
})

it('calls no fleet a sample of which the reader sees nothing', async () => {
  const service = closed({ TOKENS: tokenLine('tenant', 'read', 'certname=tenant-*') })
  const headers = { accept: 'text/html', 'x-authentication': 'tenant' }
  const { text } = await readPage(await service.request('/console', { headers }))
  expect(text).toContain('No node matches.')
  expect(text).not.toContain('Sample fleet')
})

it('waits for the first report, and is another page once it has arrived', async () => {
  const service = closed(OPEN)
  const headers = { accept: 'text/html' }
  const home = async () =>
    readPage(await service.request('/console', { headers }, 'https://x.example'))
  const before = await home()
  expect(before.text).toContain('Waiting for the first report')
  expect(before.text).not.toContain('Sample fleet')
  await store(run(SAMPLE_CERTNAMES[0]!, HOUR))
  const sample = await home()
  expect(sample.text).not.toContain('Waiting for the first report')
  expect(sample.text).toContain('The first real report removes them.')
  await store(run('web1.example.com', HOUR))
  expect((await home()).text).not.toContain('Sample fleet')
})
