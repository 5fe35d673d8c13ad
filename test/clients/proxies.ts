/** Sign-in over proxies that end TLS: nginx and Caddy as docs/how-to/use-a-proxy.md configures them, and a real browser. */

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startService } from '../../worker/local/service.ts'
import { MISSING, openBrowser } from '../browser/chromium.ts'
import { freePort } from '../free-port.ts'
import { CLIENT } from '../imitated-issuer.ts'
import { startIssuer } from '../issuer-server.ts'
import { Authority, type Certificate } from './certificates.ts'
import { execute } from './command.ts'
import { expect } from './compare.ts'
import { CLOSED, TOKEN } from './site.ts'
import type { Steps } from './steps.ts'
import type { Workplace } from './workplace.ts'

interface Place {
  readonly folder: string
  readonly port: number
  readonly service: string
  readonly certificate: Certificate
}

interface ProxyProgram {
  readonly program: string
  readonly version: string
  /** The language of its block in the documentation. */
  readonly fence: string
  /** The documented block with the names of this machine in it, as a whole file. */
  readonly configure: (block: string, place: Place) => string
  readonly words: (file: string, folder: string) => readonly string[]
}

/** The name in the documentation's blocks. */
export const NAME = 'reports.example.com'
const SERVICE = '127.0.0.1:8787'

const NGINX: ProxyProgram = {
  program: 'nginx',
  version: '-v',
  fence: 'nginx',
  configure: (block, { folder, port, service, certificate }) => `daemon off;
${process.getuid?.() === 0 ? 'user root;\n' : ''}pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join('\n  ')}
${block
  .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
  .replace('/etc/ssl/reports.pem', certificate.certificate)
  .replace('/etc/ssl/reports.key', certificate.key)
  .replace(SERVICE, service)}
}`,
  words: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
}

const PROXIES: Readonly<Record<string, ProxyProgram>> = {
  nginx: NGINX,
  Caddy: {
    program: 'caddy',
    version: 'version',
    fence: 'caddyfile',
    configure: (block, { port, service, certificate }) => `{
  admin off
  auto_https disable_redirects
}
${block
  .replace(`${NAME} {`, `${NAME}:${port} {\n  tls ${certificate.certificate} ${certificate.key}`)
  .replace(SERVICE, service)}`,
    words: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
}

/** Signs in over each proxy of the documentation that is installed. @param root folder of the project */
export async function signInOverProxies(
  steps: Steps,
  workplace: Workplace,
  root: string,
): Promise<void> {
  const browser = await openBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`])
  if (browser === null) return steps.skip(`sign-in over proxies: ${MISSING}`)
  workplace.defer(() => browser.close())
  const { issuer, stop } = await startIssuer()
  workplace.defer(stop)
  issuer.claims = { email: 'anna@example.com' }
  const page = await readFile(join(root, 'docs/how-to/use-a-proxy.md'), 'utf8')
  for (const [name, proxy] of Object.entries(PROXIES)) {
    if ((await execute(proxy.program, [proxy.version])).code !== 0) {
      steps.skip(`sign-in over ${name}: it is not installed`)
      continue
    }
    const port = await freePort()
    const publicUrl = `https://${NAME}:${port}`
    const settings = {
      ...CLOSED,
      CONSOLE_KEY: 'k'.repeat(40),
      PUBLIC_URL: publicUrl,
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      PEOPLE: 'anna@example.com read',
    }
    const service = await startService({ root, host: '127.0.0.1', port: 0, data: null, settings })
    workplace.defer(service.stop)
    const block = new RegExp(`\`\`\`${proxy.fence}\\n([^\`]*\\n)\`\`\``).exec(
      page.slice(page.indexOf(`\n## ${name}\n`)),
    )![1]!
    const running = await startProxy(workplace, proxy, { name, block, port, service: service.url })

    await steps.step(`${name}: a browser signs in over HTTPS, and out`, async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const tab = await context.newPage()
      await untilListening(running, () => tab.goto(`${publicUrl}/console`))
      await signInByToken(tab, publicUrl, TOKEN.text)
      const cookies = await context.cookies()
      const session = cookies.find((cookie) => cookie.name === '__Host-console_session')
      expect(session?.secure === true, JSON.stringify(cookies))
      expect((await tab.title()).includes('Sign in') === false, await tab.title())
      // The button is in a menu that is closed.
      await tab.evaluate(`document.querySelector('form[action="/console/sign-out"]').submit()`)
      await tab.waitForURL(`${publicUrl}/console/sign-in`)
      await context.close()
    })
    await steps.step(`${name}: a browser signs in with an OpenID Connect issuer`, async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const tab = await context.newPage()
      await tab.goto(`${publicUrl}/console/nodes?state=failed`)
      await tab.click('a.primary')
      await tab.waitForURL(`${publicUrl}/console/nodes?state=failed`)
      expect((await tab.title()).includes('Sign in') === false, await tab.title())
      const names = (await context.cookies()).map((cookie) => cookie.name)
      expect(names.includes('__Host-console_session'), names.join())
      expect(names.includes('__Host-console_sign_in') === false, names.join())
      await context.close()
    })
    await steps.step(`${name}: a form of another site is refused`, async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const tab = await context.newPage()
      await tab.setContent(
        `<form method="post" action="${publicUrl}/console/sign-in"><input name="token"></form>`,
      )
      const [response] = await Promise.all([
        tab.waitForResponse(`${publicUrl}/console/sign-in`),
        tab.evaluate(`document.querySelector('form').submit()`),
      ])
      expect(response.status() === 403, `${response.status()}`)
      await context.close()
    })
  }
}

/** Signs in on the page that asks for it. */
export async function signInByToken(tab: Page, url: string, token: string): Promise<void> {
  await tab.fill('#token', token)
  await tab.click('button.primary')
  await tab.waitForURL(`${url}/console`)
}

interface StartedProxy {
  /** Of its folder. */
  readonly name: string
  readonly block: string
  readonly port: number
  /** The address that it asks. */
  readonly service: string
}

/** Where the authority of a started proxy is. */
export const authorityFolder = (workplace: Workplace, name: string): string =>
  join(workplace.folder, name, 'authority')

async function startProxy(
  workplace: Workplace,
  proxy: ProxyProgram,
  { name, block, port, service }: StartedProxy,
): Promise<ChildProcess> {
  const folder = join(workplace.folder, name)
  await mkdir(folder)
  const authority = await Authority.create(authorityFolder(workplace, name))
  const certificate = await authority.issue(NAME, [`DNS:${NAME}`, 'IP:127.0.0.1'])
  const file = join(folder, 'proxy.conf')
  const place = { folder, port, service: new URL(service).host, certificate }
  await writeFile(file, proxy.configure(block, place))
  const running = spawn(proxy.program, proxy.words(file, folder), {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  workplace.defer(() => ended(running))
  return running
}

/** Where nginx is installed: starts it with a block of the documentation. @returns null if it is not */
export const startNginx = async (
  workplace: Workplace,
  started: StartedProxy,
): Promise<ChildProcess | null> =>
  (await execute(NGINX.program, [NGINX.version])).code === 0
    ? startProxy(workplace, NGINX, started)
    : null

/** Repeats what fails until the program listens. @throws Error with what it wrote, if it has ended */
export async function untilListening(
  running: ChildProcess,
  work: () => Promise<unknown>,
): Promise<void> {
  let errors = ''
  running.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text))
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (running.exitCode !== null) throw new Error(errors)
      if (!/ERR_CONNECTION_REFUSED|ECONNREFUSED/.test(String(error))) throw error
    }
  }
}

function ended(running: ChildProcess): Promise<unknown> | undefined {
  if (running.exitCode !== null) return undefined
  running.kill('SIGTERM')
  return new Promise((resolve) => running.once('close', resolve))
}
