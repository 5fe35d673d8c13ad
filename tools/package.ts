/**
 * `npm run package [FOLDER]`: packs the service as people install it, with nothing left to build, and local-catcher
 * beside it. Prints the files.
 */

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { wordsOrExit } from '../worker/local/command-line.ts'
import { COMMANDS, PACKAGE } from '../worker/local/commands.mjs'
import { buildHostModules } from '../worker/local/host-modules.ts'
import { keptProgram, PACKAGED, PROGRAM, programFolder } from '../worker/local/kept-build.mjs'

const root = process.cwd()
const HELP = `npm run package -- [FOLDER]

Packs the service and local-catcher into FOLDER. Without FOLDER that is dist, and
what was packed there before is removed.

  --help   this text`

const { values, positionals } = wordsOrExit(
  { allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } },
  HELP,
)
if (values.help) {
  console.log(HELP)
  process.exit()
}
const destination = resolve(positionals[0] ?? 'dist')
const folder = join(root, 'dist', PACKAGE)

interface Description {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly repository?: unknown
  readonly engines: object
  readonly bin: object
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const { version, description, license, repository, engines, bin, dependencies, devDependencies } =
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Description

rmSync(folder, { recursive: true, force: true })
const { files: hostFiles } = await buildHostModules(root, PACKAGE)
for (const { program } of Object.values(COMMANDS)) {
  await keptProgram(root, program)
  // Without its source map, which is three times as large and leads to files that are not packed.
  copy(join('dist', programFolder(program), PROGRAM))
}
for (const path of [
  'dist/assets',
  'migrations',
  'wrangler.toml',
  'worker/local/commands.mjs',
  'worker/local/kept-build.mjs',
  'worker/local/launch.mjs',
  'worker/local/report-query-service.mjs',
  'worker/local/host/guard.sh',
  'docs',
  'CHANGELOG.md',
  'LICENSE',
])
  copy(path)
for (const [name, text] of Object.entries(hostFiles)) write(join('dist/host', name), text)
write(join('dist', PACKAGED), '')
write('README.md', readFileSync(join(root, 'tools/package-readme.md'), 'utf8'))
write(
  'package.json',
  JSON.stringify(
    {
      name: PACKAGE,
      version,
      description,
      keywords: ['puppet', 'puppetdb', 'openvox', 'reports', 'pql', 'dashboard', 'sqlite'],
      license,
      repository,
      type: 'module',
      engines,
      // Those for which workerd is built and the launcher is tested.
      os: ['linux', 'darwin'],
      cpu: ['x64', 'arm64'],
      bin,
      // All others are built in.
      dependencies: { workerd: dependencies['workerd'] },
      peerDependencies: { '@duckdb/node-api': devDependencies['@duckdb/node-api'] },
      peerDependenciesMeta: { '@duckdb/node-api': { optional: true } },
      publishConfig: { access: 'public', provenance: true },
    },
    null,
    2,
  ),
)

// Not in this program's bundle: it compiles the catcher, and finds it by where it stands.
const catcherBuild = pathToFileURL(join(root, 'local-catcher/test/build.js')).href
const { setup: buildCatcher } = (await import(catcherBuild)) as { setup: () => Promise<void> }
await buildCatcher()

mkdirSync(destination, { recursive: true })
// The documented `./dist/NAME-*.tgz` must name one file of each.
if (positionals.length === 0)
  for (const file of readdirSync(destination).filter((name) => name.endsWith('.tgz')))
    rmSync(join(destination, file))
for (const packed of [folder, join(root, 'local-catcher')]) {
  const printed = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
    { cwd: packed, encoding: 'utf8' },
  )
  const [pack] = JSON.parse(printed) as {
    readonly filename: string
    readonly size: number
    readonly unpackedSize: number
    readonly entryCount: number
  }[]
  console.log(
    `${join(destination, pack!.filename)}: ${pack!.size} bytes, ${pack!.unpackedSize} unpacked, ${pack!.entryCount} files`,
  )
}

function copy(path: string): void {
  cpSync(join(root, path), join(folder, path), { recursive: true })
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
