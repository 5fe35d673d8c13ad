/** A real puppetserver in a folder of its own, whose reports go where its receiver `http` is told. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import type { Authority } from './certificates.ts'
import type { Workplace } from './workplace.ts'

/** As Debian's package has them. */
const PROGRAM = '/usr/share/puppetserver/puppetserver.jar'
const CONFIGURATION = '/etc/puppet/puppetserver'

/** JRuby takes its time, on a busy machine minutes. */
const PATIENCE = 300_000
const READY = 'Puppet Server has successfully started'

export interface PuppetServer {
  /** Agents reach it at `localhost` by this port. */
  readonly port: number
  /** Everything it has logged until now. */
  readonly log: () => Promise<string>
}

export interface PuppetServerOptions {
  /** Of its certificate. */
  readonly name: string
  readonly authority: Authority
  /** Where its reports go, with name and password. */
  readonly reportUrl: string
  /** Manifests by the names of their environments. */
  readonly manifests: Readonly<Record<string, string>>
}

/** Whether puppetserver is installed here. */
export const hasPuppetServer = (): Promise<boolean> =>
  stat(PROGRAM).then(
    () => true,
    () => false,
  )

/** Starts it in `folder`, and waits until it serves agents. @throws Error with the end of its log */
export async function startPuppetServer(
  workplace: Workplace,
  folder: string,
  options: PuppetServerOptions,
): Promise<PuppetServer> {
  const port = await freePort()
  await writeFolder(folder, port, options)
  const file = join(folder, 'server.log')
  const log = (): Promise<string> => readFile(file, 'utf8').catch(() => '')
  const child = spawn(
    'java',
    [
      ...['-Xms256m', '-Xmx1g', '-Djruby.lib=/usr/share/jruby/lib', '-jar', PROGRAM],
      ...['--config', join(folder, 'conf.d'), '--bootstrap-config', join(folder, 'services.d')],
    ],
    { cwd: '/usr/share/puppetserver', stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  workplace.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  for (const end = Date.now() + PATIENCE; !(await log()).includes(READY); await sleep(500)) {
    if (child.exitCode !== null || Date.now() > end)
      throw new Error(`puppetserver did not start:\n${(await log()).slice(-2000)}`)
  }
  return { port, log }
}

async function writeFolder(
  folder: string,
  port: number,
  { name, authority, reportUrl, manifests }: PuppetServerOptions,
): Promise<void> {
  await cp(join(CONFIGURATION, 'conf.d'), join(folder, 'conf.d'), { recursive: true })
  await cp(join(CONFIGURATION, 'services.d'), join(folder, 'services.d'), { recursive: true })
  const ssl = join(folder, 'puppet/ssl')
  const own = await authority.issue(name, [`DNS:${name}`, 'DNS:localhost'])
  await mkdir(join(ssl, 'certs'), { recursive: true })
  await mkdir(join(ssl, 'private_keys'), { recursive: true })
  await copyFile(authority.certificate, join(ssl, 'certs/ca.pem'))
  await copyFile(own.certificate, join(ssl, `certs/${name}.pem`))
  await copyFile(own.key, join(ssl, `private_keys/${name}.pem`))
  const files: Readonly<Record<string, string>> = {
    'conf.d/webserver.conf': `webserver: {
  client-auth: want
  ssl-host: 127.0.0.1
  ssl-port: ${port}
  ssl-cert: ${join(ssl, `certs/${name}.pem`)}
  ssl-key: ${join(ssl, `private_keys/${name}.pem`)}
  ssl-ca-cert: ${join(ssl, 'certs/ca.pem')}
}`,
    'conf.d/puppetserver.conf': `jruby-puppet: {
  ruby-load-path: [/usr/lib/puppetserver/ruby/vendor_ruby]
  gem-home: ${join(folder, 'gems')}
  gem-path: [${join(folder, 'gems')}, /usr/lib/puppetserver/vendored-jruby-gems]
  server-conf-dir: ${join(folder, 'puppet')}
  server-code-dir: ${join(folder, 'code')}
  server-var-dir: ${join(folder, 'var')}
  server-run-dir: ${join(folder, 'run')}
  server-log-dir: ${join(folder, 'log')}
  max-active-instances: 1
}`,
    'conf.d/global.conf': `global: { logging-config: ${join(folder, 'logback.xml')} }`,
    'logback.xml': `<configuration>
  <appender name="F" class="ch.qos.logback.core.FileAppender">
    <file>${join(folder, 'server.log')}</file>
    <encoder><pattern>%-5p %m%n</pattern></encoder>
  </appender>
  <root level="info"><appender-ref ref="F"/></root>
</configuration>`,
    // The site's authority has signed all certificates already.
    'services.d/ca.cfg':
      'puppetlabs.services.ca.certificate-authority-disabled-service/certificate-authority-disabled-service\npuppetlabs.trapperkeeper.services.watcher.filesystem-watch-service/filesystem-watch-service\n',
    'puppet/puppet.conf': `[main]
certname = ${name}
server = localhost
ssldir = ${ssl}
certificate_revocation = false
[server]
storeconfigs = false
reports = http
reporturl = ${reportUrl}
`,
    ...Object.fromEntries(
      Object.entries(manifests).map(([environment, manifest]) => [
        `code/environments/${environment}/manifests/site.pp`,
        manifest,
      ]),
    ),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}
