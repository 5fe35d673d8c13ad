/** A command names an option that it does not know, the nearest one and its help, and ends with 2. */

import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { DUCKDB_VERSION } from '../../tools/history/duckdb.ts'
import { historyCommand } from '../../tools/history/history-command.ts'
import { printedBy } from './printed.ts'

const ROOT = join(import.meta.dirname, '../..')

const run = (script: string, ...words: string[]) =>
  new Promise<{ code: unknown; said: string }>((resolve) => {
    const launched = ['worker/local/launch.mjs', `${script}.ts`, ...words]
    execFile(process.execPath, launched, { cwd: ROOT }, (error, _, said) =>
      resolve({ code: error?.code ?? 0, said }),
    )
  })

it.each([
  ['tools/backup/backup', '--dat', "Unknown option '--dat'. Did you mean '--data'?"],
  ['tools/backup/restore', '--dat', "Unknown option '--dat'. Did you mean '--data'?"],
  ['tools/release/release', '--hlep', "Unknown option '--hlep'. Did you mean '--help'?"],
  ['tools/commands/check-database', '--tokn=x', "Unknown option '--tokn'. Did you mean '--token'?"],
  [
    'tools/compare/compare',
    '--puppetbd=x',
    "Unknown option '--puppetbd'. Did you mean '--puppetdb'?",
  ],
  ['tools/history/history', '--nonsense', "Unknown option '--nonsense'."],
  ['tools/import/import', '--paralel=2', "Unknown option '--paralel'. Did you mean '--parallel'?"],
  ['tools/package', '--hlep', "Unknown option '--hlep'. Did you mean '--help'?"],
  ['tools/commands/token', '--nam=me', "Unknown option '--nam'. Did you mean '--name'?"],
])('%s %s', async (script, word, sentence) => {
  const { code, said } = await run(script, word)
  expect([code, said.split('\n')[0]]).toEqual([2, sentence])
  expect(said).toContain('\nnpm run ')
  expect(said).not.toContain('    at ')
})

it.each([
  ['tools/commands/check-database', '--url', '--url=reports'],
  ['tools/compare/compare', '--puppetdb', '--puppetdb=puppetdb:8080'],
  ['tools/compare/compare', '--here', '--puppetdb=http://127.0.0.1:1', '--here=reports'],
  ['tools/import/import', '--to', 'test/fixtures', '--to=reports'],
  ['tools/history/history', '--service', 'forget', 'web1', '--service=reports'],
])('%s names the option %s, whose value is no address', async (script, option, ...words) => {
  const { code, said } = await run(script, ...words)
  const value = words.at(-1)!.split('=')[1]!
  expect([code, said.trim()]).toEqual([
    2,
    `${option} takes an address such as https://reports.example.com:8081, not '${value}'.`,
  ])
})

it.each([
  [[], 'A COMMAND is needed.'],
  [['aks', 'totals'], "Unknown command 'aks'. Did you mean 'ask'?"],
  [['ask'], "'ask' takes one QUESTION."],
  [['forget', 'web1', 'web2'], "'forget' takes one CERTNAME."],
  [['install', 'duckdb'], "'install' takes no argument."],
])('history %j', async (words, sentence) => {
  const { code, err } = await printedBy(() => historyCommand(words))
  expect([code, err.split('\n')[0]]).toEqual([2, sentence])
})

it('history install has npm fetch DuckDB into a folder of the user, and says where it fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'install-'))
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const cache = join(folder, 'cache')
  vi.stubEnv('XDG_CACHE_HOME', cache)
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`)
  const place = join(cache, 'report-query-service/duckdb')
  const install = async (code: number) => {
    await writeFile(join(bin, 'npm'), `#!/bin/sh\necho "$PWD: $*" > ${folder}/told\nexit ${code}\n`)
    await chmod(join(bin, 'npm'), 0o700)
    return printedBy(() => historyCommand(['install']))
  }
  try {
    expect(await install(0)).toMatchObject({
      code: 0,
      out: `DuckDB ${DUCKDB_VERSION} is in ${place}.\n`,
    })
    expect(await readFile(join(folder, 'told'), 'utf8')).toBe(
      `${place}: install --prefix ${place} --no-audit --no-fund --save-exact @duckdb/node-api@${DUCKDB_VERSION}\n`,
    )
    const failed = await install(1)
    expect(failed.code).not.toBe(0)
    expect(failed.err).toBe(`npm could not install @duckdb/node-api into ${place}.\n`)
  } finally {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  }
})
