/** What the first page of a service without reports tells its operator, given to a real Puppet as it stands there. */

import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute } from './command.ts'
import { expect, expectSame } from './compare.ts'
import { ask, headersFor, type Row } from './query.ts'
import type { Site } from './site.ts'
import type { Steps } from './steps.ts'

/** Has the site's direct agent do what the pages for HTTP and for HTTPS say. */
export async function followFirstPage(steps: Steps, site: Site): Promise<void> {
  const { target, direct: agent, secureUrl } = site
  const headers = { accept: 'text/html', ...headersFor(target) }
  const [plain, secure] = await Promise.all([
    fetch(`${target.url}/console`, { headers }).then((response) => response.text()),
    site
      .ask({ path: '/console', headers: { ...headers, host: new URL(secureUrl).host } }, {})
      .then(({ body }) => body.toString()),
  ])
  const [command = '', server = ''] = linesOf(plain, target.token)
  const secureLines = linesOf(secure, target.token)
  const [, withCertificate = ''] = secureLines
  const [connection = '', reports = ''] = secureLines.slice(-2)
  const count = async (): Promise<number> =>
    (await ask<Row[]>(target, '/reports', { query: ['=', 'certname', agent.name] })).length

  await steps.step('first page: its command stores a report', async () => {
    await execute('sh', ['-c', `${command} --confdir '${agent.settings}'`], UTF8)
    expectSame('reports', await count(), 1)
    return command
  })
  await steps.step('first page: its lines for the server store a report', async () => {
    // Without a server, Puppet reads the section [main].
    const lines = server.replace('[server]', '')
    await runWith(site, 'server-lines', { 'puppet.conf': lines })
    expectSame('reports', await count(), 2)
  })
  const isClosed = target.token !== null
  if (isClosed)
    await steps.step('first page: its lines without a token store a report', async () => {
      expect(!withCertificate.includes('any:'), withCertificate)
      const lines = withCertificate.replace('[server]', '')
      await runWith(site, 'certificate-lines', { 'puppet.conf': lines })
      expectSame('reports', await count(), 3)
    })
  await steps.step('first page: its lines for the terminus store a report', async () => {
    const [section, ...settings] = reports.split('\n')
    expect(section === '[server]', reports)
    await runWith(site, 'terminus-lines', {
      'puppet.conf': settings.join('\n'),
      'puppetdb.conf': connection,
    })
    expectSame('reports', await count(), isClosed ? 4 : 3)
  })
}

const UTF8 = { LC_ALL: 'C.UTF-8' }

/** Texts of the page's blocks of code. */
const linesOf = (page: string, token: string | null): string[] =>
  [...page.matchAll(/<pre class="msg">(.*?)<\/pre>/gs)].map(([, text]) =>
    text!
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
      .replace('TOKEN', token ?? 'TOKEN'),
  )

/** Applies a catalog with a copy of the agent's settings: lines for `puppet.conf` go before its own, other files are replaced. */
async function runWith(
  { direct: agent }: Site,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = join(agent.settings, '..', name)
  await cp(agent.settings, folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) {
    const own = file === 'puppet.conf' ? await readFile(join(folder, file), 'utf8') : ''
    const others = own.replace(/^(\[main\]\n|reports = .*\n)/gm, '')
    await writeFile(join(folder, file), own ? `[main]\n${text}\n${others}` : text)
  }
  await execute('puppet', ['apply', '--confdir', folder, '-e', 'notify { "hello": }'], UTF8)
}
