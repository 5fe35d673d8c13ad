/** `npm run deploy`: deploys the service to Cloudflare, and upgrades it. The first time it makes what the service needs. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverSettings } from '../../worker/console/puppet-settings.ts'
import { wordsOrExit } from '../../worker/local/command-line.ts'
import { readConfiguration } from '../../worker/local/configuration.ts'
import { SO_FAR } from '../../worker/sql/open-hours.ts'
import { DRIFT_OF_DAY } from '../../worker/store/hour-groups.ts'
import {
  firstCredentials,
  keepLines,
  secretNames,
  TOKENS_FILE,
  type FirstCredentials,
} from './credentials.ts'
import { ensureDatabase, JURISDICTIONS, LOCATIONS, requireKnownPlace } from './database.ts'
import { requireSchema } from './schema-check.ts'
import { DeployError, remoteRows, runWrangler, WranglerError, wranglerOutput } from './wrangler.ts'

const HELP = `npm run deploy -- [options]

Makes the database if there is none, applies the migrations and deploys the Worker. The first time it
also makes CONSOLE_KEY, a token for an administrator and one for Puppet. Later it upgrades.

  --location PLACE        where the database is made: ${Object.keys(LOCATIONS).join(', ')}
  --jurisdiction PLACE    keeps the database in a jurisdiction: ${JURISDICTIONS.join(', ')}
  --help                  this text`

const CONFIGURATION = 'wrangler.toml'

/**
 * An older Worker, as after a rollback, stores and deletes reports without changing these counts. They are made again within
 * minutes and an hour, and the reports are read until then.
 */
const FORGET_COUNTS = `delete from hour_groups where kind in (${SO_FAR}, ${DRIFT_OF_DAY})`

async function deploy(): Promise<void> {
  const { values } = wordsOrExit(
    {
      options: {
        location: { type: 'string' },
        jurisdiction: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    },
    HELP,
  )
  if (values.help) return console.log(HELP)
  const place = { location: values.location, jurisdiction: values.jurisdiction }
  requireKnownPlace(place)
  const configuration = await readConfiguration(CONFIGURATION)
  await requireAccount()
  await ensureDatabase(CONFIGURATION, configuration, place)
  await applyMigrations()
  await requireSchema(process.cwd())
  const known = [...configuration.variables, ...(await secretNames())]
  // Workers Builds keeps the output, and everyone in the account reads it.
  const first = firstCredentials(known, process.env['WORKERS_CI'] !== '1')
  const address = await deployWith(first.secrets)
  if (first.tokens) await keepLines(first)
  console.log(summary(address, first))
  // Last, as a failure must not keep the new tokens from being shown.
  await remoteRows(FORGET_COUNTS)
}

/** @throws WranglerError, DeployError unless wrangler has a token, or a person who signs in */
async function requireAccount(): Promise<void> {
  if (process.env['CLOUDFLARE_API_TOKEN']) return
  try {
    await wranglerOutput('whoami', '--json')
  } catch (error) {
    if (!(error instanceof WranglerError)) throw error
    if (!process.stdin.isTTY)
      throw new DeployError(
        'wrangler has no access to an account. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.',
      )
    await runWrangler(['login'])
  }
}

/** Without a terminal wrangler asks nothing, and prints a table after each migration, which is not shown. */
async function applyMigrations(): Promise<void> {
  const output = await wranglerOutput('d1', 'migrations', 'apply', 'DB', '--remote')
  const names = new Set(output.match(/\d{4}_\w+\.sql/g))
  console.log(
    `Migrations applied: ${names.size === 0 ? 'none was missing' : [...names].join(', ')}.`,
  )
}

/** Deploys the Worker together with new secrets. @returns its address; null if it has none */
async function deployWith(secrets: FirstCredentials['secrets']): Promise<URL | null> {
  const folder = await mkdtemp(join(tmpdir(), 'report-query-deploy-'))
  const [secretsFile, outputFile] = [join(folder, 'secrets.json'), join(folder, 'output')]
  try {
    await writeFile(secretsFile, JSON.stringify(secrets), { mode: 0o600 })
    const hasSecrets = Object.keys(secrets).length > 0
    await runWrangler(['deploy', ...(hasSecrets ? ['--secrets-file', secretsFile] : [])], {
      WRANGLER_OUTPUT_FILE_PATH: outputFile,
    })
    return addressIn(await readFile(outputFile, 'utf8'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The first address of a deployment, from wrangler's output file: `https://NAME.TEAM.workers.dev`, `NAME (custom domain)`. */
function addressIn(output: string): URL | null {
  const entries = output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; targets?: readonly string[] })
  const targets = entries.find(({ type }) => type === 'deploy')?.targets ?? []
  const names = targets.map((target) => /^(?:https:\/\/)?([\w.-]+\.\w+)(?: |$)/.exec(target)?.[1])
  const name = names.find((one) => one !== undefined)
  return name === undefined ? null : new URL(`https://${name}`)
}

function summary(address: URL | null, { tokens }: FirstCredentials): string {
  if (address === null)
    return 'Deployed, without an address: wrangler.toml needs a [[routes]], or workers_dev = true.'
  if (tokens === null) return `\nDeployed: ${address.origin}/console`
  return `
Deployed: ${address.origin}/console

Sign in with the token of the administrator. Copy it now: it can't be shown again.

  ${tokens.admin}

On the Puppet server, add these lines to puppet.conf, and run systemctl reload puppetserver.
The token in them may only submit reports.

${serverSettings(address, tokens.submit).replace(/^/gm, '  ')}

${TOKENS_FILE} holds the line of each token, without the token. npm run token makes further ones.`
}

try {
  await deploy()
} catch (error) {
  if (!(error instanceof DeployError || error instanceof WranglerError)) throw error
  if (error.message !== '') console.error(error.message)
  process.exitCode = 1
}
