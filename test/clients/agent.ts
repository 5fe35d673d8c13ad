/** A real agent with everything it needs in one folder: settings, certificates, what it manages, its state. */

import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Authority } from './certificates.ts'
import { execute, type Outcome } from './command.ts'

/** The agent's node in all answers. */
export const CERTNAME = 'agent.clients.example'

/** Hours and minutes from UTC, so that a time whose zone gets lost is noticed. */
const TIME_ZONE = 'TEST-5:30'

export class Agent {
  readonly settings: string
  readonly #managed: string

  private constructor(
    folder: string,
    readonly name: string,
    private readonly manifest: string,
  ) {
    this.settings = join(folder, 'settings')
    this.#managed = join(folder, 'managed')
    this.state = join(folder, 'state')
  }

  /** Where the agent keeps its record of the last run. */
  readonly state: string

  /** Sets an agent up that sends what it has to a PuppetDB at the URL, with a certificate of its name. */
  static async settle(
    folder: string,
    name: string,
    manifest: string,
    authority: Authority,
    url: string,
  ): Promise<Agent> {
    const agent = new Agent(folder, name, manifest)
    await agent.#writeSettings(folder, url)
    await agent.#placeCertificates(join(folder, 'ssl'), authority)
    await mkdir(agent.#managed)
    await writeFile(join(agent.#managed, 'unchanged'), 'as it was')
    return agent
  }

  /** Has the file that the manifest wants changed differ again. */
  async disturb(): Promise<void> {
    await writeFile(join(this.#managed, 'changed'), 'old content\n')
  }

  /** Applies the manifest. @returns what it said. An agent's exit code tells nothing of a report that was not taken; its words do. */
  async apply(...options: string[]): Promise<string> {
    const { code, output, errors } = await this.run(...options)
    if (code !== 0 || !output.includes("'store_report' command")) {
      throw new Error(`puppet apply: exit code ${code}\n${errors}${output}`)
    }
    return output
  }

  /** Applies the manifest, however that ends. */
  run(...options: string[]): Promise<Outcome> {
    return execute('puppet', ['apply', '--confdir', this.settings, ...options, this.manifest], {
      TZ: TIME_ZONE,
      LC_ALL: 'C.UTF-8',
      FACTER_outcomes_folder: this.#managed,
    })
  }

  /** Has a puppetserver at `localhost` compile the catalog, applies it, and leaves the report to the server. */
  runByServer(port: number, ...options: string[]): Promise<Outcome> {
    const connection = ['--server', 'localhost', '--serverport', String(port)]
    return execute(
      'puppet',
      [
        ...['agent', '--confdir', this.settings, '--onetime', '--no-daemonize', '--verbose'],
        ...[...connection, ...options],
      ],
      { TZ: TIME_ZONE, LC_ALL: 'C.UTF-8', FACTER_outcomes_folder: this.#managed },
    )
  }

  /** `puppet node deactivate` and `puppet node status`, about a node by its name; what was said, and how it ended. */
  node(action: 'deactivate' | 'status', certname: string): Promise<Outcome> {
    return execute('puppet', ['node', action, certname, '--confdir', this.settings], {
      LC_ALL: 'C.UTF-8',
    })
  }

  async #writeSettings(folder: string, url: string): Promise<void> {
    await mkdir(this.settings, { recursive: true })
    const settings = {
      certname: this.name,
      ...Object.fromEntries(
        ['vardir', 'ssldir', 'statedir', 'logdir', 'rundir', 'publicdir', 'codedir'].map((name) => [
          name,
          join(folder, name.replace('dir', '')),
        ]),
      ),
      certificate_revocation: 'false',
      report: 'true',
      reports: 'puppetdb',
      storeconfigs: 'true',
      storeconfigs_backend: 'puppetdb',
      log_level: 'info',
      color: 'false',
    }
    await writeFile(
      join(this.settings, 'puppet.conf'),
      `[main]\n${Object.entries(settings)
        .map(([name, value]) => `${name} = ${value}\n`)
        .join('')}`,
    )
    await writeFile(join(this.settings, 'puppetdb.conf'), `[main]\nserver_urls = ${url}\n`)
    await writeFile(join(this.settings, 'routes.yaml'), ROUTES)
  }

  async #placeCertificates(folder: string, authority: Authority): Promise<void> {
    const own = await authority.issue(this.name, [`DNS:${this.name}`])
    for (const name of ['certs', 'private_keys']) {
      await mkdir(join(folder, name), { recursive: true })
    }
    await copyFile(authority.certificate, join(folder, 'certs', 'ca.pem'))
    await copyFile(own.certificate, join(folder, 'certs', `${this.name}.pem`))
    await copyFile(own.key, join(folder, 'private_keys', `${this.name}.pem`))
  }
}

/** Catalogs and facts go to the same place as the reports, as on a site without a Puppet server. */
const ROUTES = `---
apply:
  catalog:
    terminus: compiler
    cache: puppetdb
  resource:
    terminus: ral
    cache: puppetdb
  facts:
    terminus: facter
    cache: puppetdb_apply
`
