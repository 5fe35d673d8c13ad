/** A real agent with everything it needs in one folder: settings, certificates, what it manages, its state. */

import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Authority } from './certificates.ts'
import { execute, succeed } from './command.ts'

/** What the agent signs its commands with, and the node's name in all answers. */
export const CERTNAME = 'agent.clients.example'

/** Hours and minutes from UTC, so that a time whose zone gets lost is noticed. */
const TIME_ZONE = 'TEST-5:30'

export class Agent {
  readonly #settings: string
  readonly #managed: string

  private constructor(
    folder: string,
    private readonly manifest: string,
  ) {
    this.#settings = join(folder, 'settings')
    this.#managed = join(folder, 'managed')
    this.state = join(folder, 'state')
  }

  /** Where the agent keeps its record of the last run. */
  readonly state: string

  /** Sets an agent up that sends what it has to a PuppetDB at the URL. */
  static async settle(
    folder: string,
    manifest: string,
    authority: Authority,
    url: string,
  ): Promise<Agent> {
    const agent = new Agent(folder, manifest)
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

  /** Applies the manifest. An agent's exit code tells nothing of a report that was not taken; its words do. */
  async apply(...options: string[]): Promise<void> {
    const { code, output, errors } = await execute(
      'puppet',
      ['apply', '--confdir', this.#settings, ...options, this.manifest],
      { TZ: TIME_ZONE, LC_ALL: 'C.UTF-8', FACTER_outcomes_folder: this.#managed },
    )
    if (code !== 0 || !output.includes("'store_report' command")) {
      throw new Error(`puppet apply: exit code ${code}\n${errors}${output}`)
    }
  }

  /** `puppet node deactivate` and `puppet node status` about this very node. */
  node(action: 'deactivate' | 'status'): Promise<string> {
    return succeed('puppet', ['node', action, CERTNAME, '--confdir', this.#settings], {
      LC_ALL: 'C.UTF-8',
    })
  }

  async #writeSettings(folder: string, url: string): Promise<void> {
    await mkdir(this.#settings, { recursive: true })
    const settings = {
      certname: CERTNAME,
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
      join(this.#settings, 'puppet.conf'),
      `[main]\n${Object.entries(settings)
        .map(([name, value]) => `${name} = ${value}\n`)
        .join('')}`,
    )
    await writeFile(join(this.#settings, 'puppetdb.conf'), `[main]\nserver_urls = ${url}\n`)
    await writeFile(join(this.#settings, 'routes.yaml'), ROUTES)
  }

  async #placeCertificates(folder: string, authority: Authority): Promise<void> {
    const own = await authority.issue(CERTNAME, [`DNS:${CERTNAME}`])
    for (const name of ['certs', 'private_keys']) {
      await mkdir(join(folder, name), { recursive: true })
    }
    await copyFile(authority.certificate, join(folder, 'certs', 'ca.pem'))
    await copyFile(own.certificate, join(folder, 'certs', `${CERTNAME}.pem`))
    await copyFile(own.key, join(folder, 'private_keys', `${CERTNAME}.pem`))
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
