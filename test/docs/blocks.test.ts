/** Every block of the pages is looked at: run by another test that is named here, or read here as the program reads it that it is for. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { Ajv } from 'ajv'
import { parseDocument } from 'yaml'
import { afterAll, describe, expect, it } from 'vitest'
import { rulesOf } from '../../worker/access/rules.ts'
import { HISTORY_TABLE_NAMES } from '../../worker/schema/history-tables.ts'
import { readSettings, SETTINGS } from '../../worker/schema/settings.ts'
import { BLOCKS, CATCHER_PAGES, PAGES, ROOT, type Block } from './markdown.ts'

/** What the addresses in blocks lead to. A block that names another host or port is wrong, or a line is missing here. */
const ADDRESSES = new Map([
  ['127.0.0.1:8787', 'the service beside a proxy or a client'],
  ['127.0.0.1:8080', 'a PuppetDB that stays, and the catcher'],
  ['127.0.0.1:8099', 'the catcher of the tutorial'],
  ['localhost:8080', 'the catcher'],
  ['localhost:3000', 'the service under test that a capture is sent to'],
  ['reports.example.com', 'the service, behind HTTPS'],
  ['reports.example.com:8081', 'the service, with certificates of Puppet'],
  ['puppetdb.example.com', 'a PuppetDB behind HTTPS'],
  ['puppetdb.example.com:8080', 'a PuppetDB without HTTPS'],
  ['puppetdb.example.com:8081', 'a PuppetDB that stays'],
  ['chat.example.com', 'a chat that takes webhooks'],
  ['packages.example.net', 'in messages of the sample fleet'],
  ['mail.example.com', 'a mail server'],
  ['sso.example.com', 'an issuer'],
])

type Reader = (block: Block) => void | Promise<void>

const OF_ALL_PAGES = /import \{[^}]*\b(BLOCKS|COMMANDS)\b[^}]*\} from '\.\/markdown\.ts'/

/** Held by another test, which takes the blocks of all pages or names this one. */
const heldBy =
  (...tests: readonly string[]) =>
  ({ file }: Block): void => {
    const holders = tests.filter((test) => {
      const text = readFileSync(join(ROOT, test), 'utf8')
      return OF_ALL_PAGES.test(text) || text.includes(basename(file))
    })
    expect(holders, `none of ${tests.join(', ')} reads ${file}`).not.toEqual([])
  }

const aBoolean = /^(true|false)$/
const aUrl = /^https:\/\/(any:TOKEN@)?(reports|puppetdb)\.example\.com(:8081)?$/
/**
 * Sections and settings with their values, as https://help.puppet.com/core/8/Content/PuppetCore/configuration.htm and
 * https://help.puppet.com/pdb/8/topics/puppetdb-connection.htm list them.
 */
const PUPPET: Readonly<Record<string, RegExp>> = {
  'server.reports': /^store,(http|puppetdb|puppetdb,http)$/,
  'server.reporturl': /^https:\/\/(any:TOKEN@)?reports\.example\.com(:8081)?\/reports$/,
  'server.report_include_system_store': aBoolean,
  'main.report': aBoolean,
  'main.reports': /^http$/,
  'main.reporturl': /^https:\/\/any:TOKEN@reports\.example\.com\/reports$/,
  'main.report_include_system_store': aBoolean,
  'agent.report_server': /^reports\.example\.com$/,
  'agent.report_port': /^8081$/,
  'main.server_urls': aUrl,
  'main.submit_only_server_urls': aUrl,
  'main.soft_write_failure': aBoolean,
  'main.command_broadcast': aBoolean,
}

function ini({ text }: Block): void {
  let section = ''
  for (const line of text.trimEnd().split('\n')) {
    const [, opened, name, value] = /^(?:\[(\w+)\]|(\w+) = (\S+))$/.exec(line) ?? []
    expect(opened ?? name, line).toBeDefined()
    if (opened !== undefined) section = opened
    else expect(value, `${section}.${name}`).toMatch(PUPPET[`${section}.${name}`] ?? /^(?!)/)
  }
}

/** Keys of other programs' files, in the order of the pages. */
const YAML_KEYS = [
  // https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config
  ...['scrape_configs.job_name', 'scrape_configs.scheme', 'scrape_configs.scrape_interval'],
  ...['scrape_configs.authorization.credentials', 'scrape_configs.static_configs.targets'],
  // https://doc.traefik.io/traefik/reference/routing-configuration/http/routing/router/
  ...['http.routers.reports.rule', 'http.routers.reports.service', 'http.routers.reports.tls'],
  'http.services.reports.loadBalancer.servers.url',
  // https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
  ...['run', 'uses', 'if', 'with.name', 'with.path'],
  // https://docs.gitlab.com/ci/yaml/
  ...['test.image', 'test.script', 'test.artifacts.when', 'test.artifacts.paths'],
]

/** The paths of the values, without places in lists. */
function pathsIn(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => pathsIn(one, path))
  if (typeof value !== 'object' || value === null) return [path.join('.')]
  const entries = Object.entries(value)
  return entries.length === 0
    ? [path.join('.')]
    : entries.flatMap(([key, one]) => pathsIn(one, [...path, key]))
}

function yaml({ text }: Block): void {
  const document = parseDocument(text)
  expect([...document.errors, ...document.warnings]).toEqual([])
  expect(pathsIn(document.toJS()).filter((path) => !YAML_KEYS.includes(path))).toEqual([])
}

/** Of wrangler itself, once for all, in a process of its own: loading it takes a second and changes what is around it. */
const TOML_READER = `
  const { experimental_readRawConfig } = require('wrangler')
  const read = process.argv.slice(1).map((config) => experimental_readRawConfig({ config }).rawConfig)
  process.stdout.write(JSON.stringify(read))`
const folder = mkdtempSync(join(tmpdir(), 'blocks-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Configuration = Readonly<{ vars?: Readonly<Record<string, string>> }>
let configurations: ReadonlyMap<string, Configuration> | undefined

function readConfigurations(): ReadonlyMap<string, Configuration> {
  const texts = BLOCKS.filter(({ info }) => info === 'toml').map(({ text }) => text)
  const paths = texts.map((text, index) => {
    const path = join(folder, `${index}.toml`)
    writeFileSync(path, text)
    return path
  })
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', TOML_READER, ...paths], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(stdout, stderr).not.toBe('')
  const read = JSON.parse(stdout) as readonly Configuration[]
  return new Map(texts.map((text, index) => [text, read[index]!]))
}

const wranglerSchema = new Ajv({ strict: false, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(ROOT, 'node_modules/wrangler/config-schema.json'), 'utf8')),
)

function toml({ text }: Block): void {
  const configuration = (configurations ??= readConfigurations()).get(text)!
  expect(wranglerSchema(configuration) ? [] : wranglerSchema.errors).toEqual([])
  settingsOf(configuration.vars ?? {})
}

/** Read as the service reads them at its start. */
function settingsOf(given: Readonly<Record<string, string>>): void {
  expect(Object.keys(given).filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([])
  rulesOf(readSettings({ ...given }), () => Promise.reject(new Error('nothing is fetched')))
}

function settings({ text }: Block): void {
  const assignment = /^([A-Z_]+)=(?:'([^']*)'|(\S*))\n/gm
  const found = [...text.matchAll(assignment)]
  expect(text.replaceAll(assignment, '')).toBe('')
  expect(found.length).toBeGreaterThan(0)
  settingsOf(Object.fromEntries(found.map(([, name, quoted, bare]) => [name!, quoted ?? bare!])))
}

/** Names and values that a block of Python gives: what it assigns, and the arguments of its calls. */
const PYTHON_READER = `
import ast, json, sys
found = []
for node in ast.walk(ast.parse(sys.stdin.read())):
    if isinstance(node, ast.Assign): found += [target.id for target in node.targets]
    if isinstance(node, ast.Call): found += [f'{node.func.id}.{one.arg}' for one in node.keywords]
    if isinstance(node, ast.ImportFrom): found += [f'{node.module}.{one.name}' for one in node.names]
print(json.dumps(found))`
/** https://github.com/voxpupuli/puppetboard#settings and https://pypuppetdb.readthedocs.io/en/latest/api.html */
const PYTHON_NAMES = [
  ...['PUPPETDB_HOST', 'PUPPETDB_PORT', 'PUPPETDB_PROTO', 'db', 'pypuppetdb.connect'],
  ...['connect.host', 'connect.port', 'connect.protocol'],
]

/** Programs that read their own blocks, where they are installed. */
const PROGRAMS: Readonly<Record<string, readonly [program: string, word: string]>> = {
  caddyfile: ['caddy', 'version'],
  nginx: ['nginx', '-v'],
  python: ['python3', '--version'],
}
const lacks = (info: string): boolean =>
  PROGRAMS[info] !== undefined &&
  spawnSync(PROGRAMS[info][0], [PROGRAMS[info][1]]).error !== undefined

function python({ text }: Block): void {
  const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON_READER], {
    input: text,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const names = JSON.parse(stdout) as string[]
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !PYTHON_NAMES.includes(name))).toEqual([])
}

/** nginx itself says whether it would start, with a certificate of ours and no name looked up. */
function nginx({ text }: Block): void {
  const tls = join(ROOT, 'test/fixtures/tls')
  const block = text
    .replaceAll(/(ssl_certificate_key +)[^;]*/g, `$1${tls}/server.key`)
    .replaceAll(/((?:ssl_certificate|\w+_certificate) +)\/[^;]*/g, `$1${tls}/server.pem`)
    .replaceAll(/(proxy_pass +https:\/\/)reports.example.com/g, '$1127.0.0.1')
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${block}}\n`)
  const words = ['-t', '-q', '-p', folder, '-c', file, '-e', 'stderr']
  const { status, stderr } = spawnSync('nginx', words, { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
}

function caddyfile({ text }: Block): void {
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, text)
  const words = ['adapt', '--adapter', 'caddyfile', '--config', file]
  const { stdout, stderr } = spawnSync('caddy', words, { encoding: 'utf8' })
  expect(stdout, stderr).toContain('"reverse_proxy"')
}

const HISTORY = join(ROOT, 'test/fixtures/history-1')

/** The failed runs of two services, whose histories are the same here: twice those of one, on as many nodes. */
async function sql(block: Block): Promise<void> {
  if (!block.text.includes('OTHER/')) return heldBy('test/local/history.test.ts')(block)
  const database = await (await DuckDBInstance.create()).connect()
  const rowsOf = async (text: string): Promise<unknown> =>
    (await database.runAndReadAll(text)).getRowsJson()
  const expected = await rowsOf(`
    select strftime(producer_timestamp, '%Y-%m') as month, 2 * count(*), count(distinct certname)
    from '${HISTORY}/reports/*/*.parquet' where status = 'failed' group by 1 order by 1`)
  const rows = await rowsOf(block.text.replaceAll(/\b(HISTORY|OTHER)(?=\/)/g, HISTORY))
  expect(expected).not.toEqual([])
  expect((rows as string[][]).map(([month, ...counts]) => [month!.slice(0, 7), ...counts])).toEqual(
    expected,
  )
}

/** https://code.visualstudio.com/docs/copilot/customization/mcp-servers */
function mcpConfig({ text }: Block): void {
  const config = JSON.parse(text) as object
  expect(pathsIn(config).map((path) => path.replace('servers.puppet.', ''))).toEqual([
    'type',
    'url',
    'headers.Authorization',
  ])
  expect(text).toContain('"https://reports.example.com/mcp"')
}

const ARCHIVED = new RegExp(
  `^HISTORY/(${HISTORY_TABLE_NAMES.join('|')})/(date=\\d{4}-\\d\\d-\\d\\d|month=\\d{4}-\\d\\d)/\\d{3}\\.parquet  +\\S`,
)
const files: Reader = ({ text }) =>
  expect(
    text
      .trimEnd()
      .split('\n')
      .filter((line) => !ARCHIVED.test(line)),
  ).toEqual([])

/** Folders, with a slash behind them or between arrows, are there. */
function map({ text }: Block): void {
  const named = [...text.matchAll(/([a-z]+)\/(?![a-z\d])|([a-z]+)(?= →)|(?<=→ )([a-z]+)/g)]
  const folders = named.map(([, slash, before, after]) => slash ?? before ?? after!)
  expect(folders.length).toBeGreaterThan(3)
  expect(folders.filter((name) => !existsSync(join(ROOT, 'worker', name)))).toEqual([])
}

const list =
  (name: keyof typeof SETTINGS): Reader =>
  ({ text }) =>
    settingsOf({ [name]: text })

/** By the words after the fence. */
const SERVICE: Readonly<Record<string, Reader>> = {
  pql: heldBy('test/docs/page-cases.ts'),
  'pql empty': heldBy('test/docs/page-cases.ts'),
  json: heldBy('test/docs/page-cases.ts'),
  'json call': heldBy('test/docs/transcript-cases.ts'),
  'text answer': heldBy('test/docs/transcript-cases.ts'),
  'json answer': heldBy('test/proofs/tutorial/tutorial.test.ts'),
  sh: heldBy('test/docs/pages.test.ts'),
  // What commands print: in the tutorial, and for --help in a page that is made of it.
  text: heldBy('test/proofs/tutorial/tutorial.test.ts', 'tools/describe/reference.ts'),
  'json config': mcpConfig,
  'sh settings': settings,
  'text CLIENT_CERTIFICATES': list('CLIENT_CERTIFICATES'),
  'text PEOPLE': list('PEOPLE'),
  'text files': files,
  'text map': map,
  ...{ caddyfile, ini, nginx, python, sql, toml, yaml },
}

const CATCHER: Readonly<Record<string, Reader>> = {
  '': heldBy('local-catcher/test/readme.test.ts'),
  dockerfile: heldBy('local-catcher/test/readme.test.ts'),
  go: heldBy('local-catcher/test/control.test.ts'),
  java: heldBy('local-catcher/test/control.test.ts'),
  python: heldBy('local-catcher/test/control.test.ts'),
  ruby: heldBy('local-catcher/test/control.test.ts'),
  json: heldBy('local-catcher/test/readme.test.ts', 'local-catcher/test/documents.ts'),
  sh: heldBy('local-catcher/test/readme.test.ts'),
  ts: heldBy('test/proofs/catcher/package.test.ts'),
  yaml: (block) => {
    yaml(block)
    heldBy('local-catcher/test/readme.test.ts')(block)
  },
}

/** Hosts with ports that a block asks. */
const addressesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:https?|smtps?):\/\/(?:[^\s/'"@]*@)?([\w.-]+(?::\d+)?)/g)].map(
    ([, host]) => host!,
  )

describe.each([
  ['the service', PAGES.filter(({ file }) => /^(docs|README|test)/.test(file)), SERVICE],
  ['the catcher', CATCHER_PAGES, CATCHER],
] as const)('the pages of %s', (_, pages, readers) => {
  const blocks = pages.flatMap((page) => page.blocks)

  it('have blocks of every language that is read, and of no other', () => {
    const languages = new Set(blocks.map(({ info }) => info))
    expect([...languages].sort()).toEqual(Object.keys(readers).sort())
  })

  it.for(blocks.map((block) => [`${block.file}:${block.line}`, block.info, block] as const))(
    '%s %s',
    async ([, info, block], { skip }) => {
      skip(readers === SERVICE && lacks(info), `${info}: its program is not installed`)
      await readers[info]!(block)
      expect(addressesIn(block.text).filter((address) => !ADDRESSES.has(address))).toEqual([])
    },
  )
})
