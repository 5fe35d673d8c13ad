/**
 * From an empty folder with Node only to a service that is closed, behind TLS, backed up and upgraded: by the packed file,
 * and by commands that the docs print.
 */

import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { delimiter, join } from 'node:path'
import { MISSING, openBrowser } from '../browser/chromium.ts'
import { freePort } from '../free-port.ts'
import { KEEP_ALL } from '../local/keep-all.ts'
import { RELEASES, REPORTS_OF_RELEASE, writeReleaseData } from '../local/release-data.ts'
import { execute } from './command.ts'
import { expect, expectSame } from './compare.ts'
import { Documented, replaced } from './documented.ts'
import { authorityFolder, NAME, signInByToken, startNginx, untilListening } from './proxies.ts'
import type { Steps } from './steps.ts'
import { moveReports } from './stranger-move.ts'
import type { Workplace } from './workplace.ts'

interface Running {
  readonly url: string
  readonly output: () => string
  readonly stop: () => Promise<void>
}

/** Where the service runs in the pages, and the address of a receiver there. */
const SERVICE = 'http://127.0.0.1:8787'
const RECEIVER = 'https://chat.example.com/hooks/ops'
const CERTNAME = 'stranger.clients.example'

/** What the stranger has: an empty folder, and the programs that npm installed into it. */
export class Stranger {
  private constructor(
    readonly folder: string,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly workplace: Workplace,
  ) {}

  static async arrive(workplace: Workplace): Promise<Stranger> {
    const folder = join(workplace.folder, 'stranger')
    await mkdir(folder)
    const installed = join(folder, 'installed')
    return new Stranger(
      folder,
      {
        ...KEEP_ALL,
        npm_config_prefix: installed,
        npm_config_prefer_offline: 'true',
        PATH: [join(installed, 'bin'), process.env['PATH']].join(delimiter),
        LC_ALL: 'C.UTF-8',
      },
      workplace,
    )
  }

  /** Types a command. @returns what it printed @throws Error where it doesn't end with 0 */
  async type(command: string, where = this.folder): Promise<string> {
    const words = ['-c', `cd '${where}' && ${command}`]
    const { code, output, errors } = await execute('bash', words, this.environment)
    expect(code === 0, `${command}: ${code} ${errors}${output}`)
    return output + errors
  }

  /** Types a command that runs on until it is stopped. @returns once it prints where it listens */
  async leaveRunning(command: string, settings: Readonly<Record<string, string>> = {}) {
    const child = spawn('bash', ['-c', `exec env ${command}`], {
      cwd: this.folder,
      env: { ...process.env, ...this.environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const stop = () => stopped(child)
    this.workplace.defer(stop)
    let output = ''
    return new Promise<Running>((resolve, reject) => {
      const read = (text: string): void => {
        output += text
        const [, url] = /listening on (https?:\S+)/.exec(output) ?? []
        if (url !== undefined) resolve({ url, output: () => output, stop })
      }
      child.stdout.setEncoding('utf8').on('data', read)
      child.stderr.setEncoding('utf8').on('data', read)
      child.once('close', () => reject(new Error(`${command} has ended: ${output}`)))
    })
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.kill('SIGTERM')
  await closed
}

/** An address of this machine that others in its network use; loopback where it has none. */
const privateAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'

/** @param root folder of the project @param hasAgent whether Puppet is installed */
export async function walkAsStranger(
  steps: Steps,
  workplace: Workplace,
  { root, hasAgent }: { readonly root: string; readonly hasAgent: boolean },
): Promise<void> {
  const docs = new Documented(root)
  const stranger = await Stranger.arrive(workplace)
  const { folder } = stranger
  const tokens = new Map<string, string>()
  const places = { '/backups': join(folder, 'backups'), '/var/lib/report-query-service': 'data' }

  const isInstalled = await steps.step('packs and installs service and catcher', async () => {
    const pack = await docs.command('how-to/run-your-own-server.md', 'npm run package')
    await stranger.type(`${pack} -- ${folder}`, root)
    for (const [page, name] of [
      ['how-to/run-your-own-server.md', 'report-query-service'],
      ['how-to/connect-other-tools.md', 'local-catcher'],
    ] as const) {
      const install = await docs.command(page, `npm install -g ./dist/${name}-*.tgz`)
      await stranger.type(replaced(install, { './dist': '.' }))
    }
    return (await stranger.type('report-query-service --version')).trim()
  })
  if (!isInstalled) return

  await steps.step('makes tokens', async () => {
    const lines: string[] = []
    for (const [name, page, command] of [
      ['me', 'run-your-own-server.md', 'report-query-service token --name me --scope admin'],
      [
        'puppet.example.com',
        'send-reports.md',
        'report-query-service token --name puppet.example.com --scope submit',
      ],
    ] as const) {
      const printed = await stranger.type(await docs.command(`how-to/${page}`, command))
      const [token = ''] = printed.split('\n')
      tokens.set(name, token)
      const digest = createHash('sha256').update(token).digest('hex')
      lines.push(printed.split('\n').find((line) => line.endsWith(digest))!)
    }
    await writeFile(join(folder, 'tokens.txt'), `${lines.join('\n')}\n`)
  })
  const me = tokens.get('me')!

  const address = privateAddress()
  const receiverPort = await freePort()
  const port = await freePort()
  const publicUrl = `https://${NAME}:${port}`
  let service: Running | null = null
  await steps.step('starts the service closed, for a proxy', async () => {
    const proxied = await docs.command(
      'how-to/use-a-proxy.md',
      'PUBLIC_URL=https://reports.example.com report-query-service start',
      { 'https://reports.example.com': publicUrl },
    )
    service = await stranger.leaveRunning(`${proxied} --tokens tokens.txt --port 0`, {
      HOOK_HOSTS: `${address}:${receiverPort}`,
    })
    const refused = await fetch(`${service.url}/pdb/query/v4/nodes`)
    expectSame('status without a token', refused.status, 401)
  })
  if (service === null) return
  const { url, stop } = service as Running

  const block = await docs.block('how-to/use-a-proxy.md', 'nginx', 'nginx')
  const place = { name: 'stranger-nginx', block, port, service: url }
  const proxy = await startNginx(workplace, place)
  const browser = await openBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`])
  if (browser !== null) workplace.defer(() => browser.close())
  if (proxy === null) steps.skip('stranger: TLS by nginx: it is not installed')
  else if (browser === null) steps.skip(`stranger: sign-in: ${MISSING}`)
  else
    await steps.step('signs in over nginx', async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const tab = await context.newPage()
      await untilListening(proxy, () => tab.goto(`${publicUrl}/console`))
      await signInByToken(tab, publicUrl, me)
      expect(!(await tab.title()).includes('Sign in'), await tab.title())
      const text = (await tab.textContent('main')) ?? ''
      expect(text.includes('reporturl'), text)
      await context.close()
      return 'the page waits for the first report'
    })

  const nodes = async (): Promise<readonly string[]> => {
    const command = await docs.command(
      'how-to/control-access.md',
      `curl -H 'authorization: Bearer TOKEN' ${SERVICE}/pdb/query/v4/environments`,
      { TOKEN: me, [SERVICE]: url, environments: 'nodes', curl: 'curl -sS' },
    )
    const rows = JSON.parse(await stranger.type(command)) as { readonly certname: string }[]
    return rows.map(({ certname }) => certname)
  }
  if (!hasAgent || proxy === null) steps.skip('stranger: first report: Puppet or nginx is missing')
  else
    await steps.step('sends a first report through nginx', async () => {
      const settings = await docs.block('how-to/send-reports.md', 'From puppet apply', 'ini')
      const conf = join(folder, 'puppet')
      await mkdir(conf)
      // The authority of nginx is no public one, and its name leads here by address only.
      const own = replaced(settings, {
        TOKEN: tokens.get('puppet.example.com')!,
        'reports.example.com': `127.0.0.1:${port}`,
      })
      const authority = join(authorityFolder(workplace, place.name), 'ca.pem')
      const rest = `ssl_trust_store = ${authority}\nvardir = ${conf}/var\ncertname = ${CERTNAME}\n`
      await writeFile(join(conf, 'puppet.conf'), own + rest)
      await stranger.type(`puppet apply --confdir ${conf} -e 'notify { "hello": }'`)
      expectSame('nodes', await nodes(), [CERTNAME])
    })

  await steps.step('catches a hook at a private address', async () => {
    const command = await docs.command(
      'how-to/connect-other-tools.md',
      'local-catcher --port 8099',
      { 8099: `${receiverPort} --host ${address}` },
    )
    const catcher = await stranger.leaveRunning(command)
    const page = 'how-to/get-notified.md'
    const replacements = { TOKEN: me, [SERVICE]: url, curl: 'curl -sS --fail-with-body' }
    const make = `curl -X PUT -H 'authorization: Bearer TOKEN' -d '{"transition": "failed", "format": "slack", "filter": "environment = \\"production\\"", "url": "${RECEIVER}"}' ${SERVICE}/admin/v1/hooks/ops`
    const test = `curl -X POST -H 'authorization: Bearer TOKEN' ${SERVICE}/admin/v1/hooks/ops/test`
    await stranger.type(
      await docs.command(page, make, { ...replacements, [RECEIVER]: `${catcher.url}/hooks/ops` }),
    )
    await stranger.type(await docs.command(page, test, replacements))
    const seen = catcher.output()
    expect(seen.includes('POST /hooks/ops') && seen.includes('Test of the hook ops'), seen)
    return address
  })

  await steps.step('backs up, checks the backup, and restores it into another folder', async () => {
    const page = 'how-to/back-up-and-restore.md'
    const own = (command: string, ...names: readonly (keyof typeof places)[]): Promise<string> =>
      docs.command(page, command, Object.fromEntries(names.map((name) => [name, places[name]])))
    const home = '/var/lib/report-query-service'
    const backup = `report-query-service backup --into /backups --keep 14 --data ${home}`
    await stranger.type(await own(backup, '/backups', home))
    const check = 'report-query-service backup --check /backups'
    const checked = await stranger.type(await own(check, '/backups'))
    expect(/ is good: \d+ reports/.test(checked), checked)
    const restore = await own(`report-query-service restore /backups --data ${home}`, '/backups')
    await stranger.type(replaced(restore, { [home]: 'other' }))
    const start = await docs.prose(page, 'report-query-service start --data OTHER --port 9000')
    const trial = await stranger.leaveRunning(
      `${replaced(start, { OTHER: 'other', 9000: '0' })} --tokens tokens.txt`,
    )
    const verified = `report-query-service check-database --url https://reports.example.com:8081 --token TOKEN`
    const verify = await docs.command(page, verified, {
      'https://reports.example.com:8081': trial.url,
      TOKEN: me,
    })
    const said = await stranger.type(verify)
    expect(said.includes('All is well.'), said)
    await trial.stop()
  })
  await stop()

  if (!hasAgent || proxy === null) steps.skip('stranger: move from PuppetDB: there is no report')
  else
    await steps.step('moves reports from another server of the API, and compares', () =>
      moveReports(stranger, docs, { token: me, certname: CERTNAME }),
    )

  for (const [release, last] of RELEASES)
    await steps.step(`upgrades the data of ${release}, and rolls back`, async () => {
      const data = join(folder, `data-${release}`)
      await writeReleaseData(root, data, release)
      const page = 'how-to/back-up-and-restore.md'
      const start = await docs.prose(page, 'report-query-service start --data OTHER --port 9000')
      const upgraded = await stranger.leaveRunning(
        `${replaced(start, { OTHER: data, 9000: '0' })} --tokens tokens.txt`,
      )
      const all = encodeURIComponent('["extract","hash",["=","type","any"]]')
      const rows = await fetch(`${upgraded.url}/pdb/query/v4/reports?query=${all}`, {
        headers: { authorization: `Bearer ${me}` },
      }).then((response) => response.json<unknown[]>())
      expectSame('reports', rows.length, REPORTS_OF_RELEASE)
      await upgraded.stop()
      // docs/how-to/upgrade.md: "restore the copy with the command in the log".
      const [back] = /report-query-service restore \S+ --data \S+/.exec(upgraded.output()) ?? []
      expect(back !== undefined, upgraded.output())
      const said = await stranger.type(back!.replace(/[".]+$/, ''))
      expect(
        said.includes(`${REPORTS_OF_RELEASE} reports`) && said.includes(last.slice(0, 4)),
        said,
      )
    })
}
