/** A command names an option that it does not know, the nearest one and its help, and ends with 2. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
