/** A command names an option that it does not know, the nearest one and its help, and ends with 2. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

const run = (script: string, ...words: string[]) =>
  new Promise<{ code: unknown; said: string }>((resolve) => {
    const launched = ['worker/local/launch.mjs', `${script}.ts`, ...words]
    execFile(process.execPath, launched, { cwd: ROOT }, (error, _, said) =>
      resolve({ code: error?.code ?? 0, said }),
    )
  })

it.each([
  ['worker/local/backup', '--dat', "Unknown option '--dat'. Did you mean '--data'?"],
  ['worker/local/check-database', '--tokn=x', "Unknown option '--tokn'. Did you mean '--token'?"],
  [
    'tools/compare/compare',
    '--puppetbd=x',
    "Unknown option '--puppetbd'. Did you mean '--puppetdb'?",
  ],
  ['tools/history/history', '--nonsense', "Unknown option '--nonsense'."],
  ['tools/import/import', '--paralel=2', "Unknown option '--paralel'. Did you mean '--parallel'?"],
  ['worker/local/token', '--nam=me', "Unknown option '--nam'. Did you mean '--name'?"],
])('%s %s', async (script, word, sentence) => {
  const { code, said } = await run(script, word)
  expect([code, said.split('\n')[0]]).toEqual([2, sentence])
  expect(said).toContain('\nnpm run ')
  expect(said).not.toContain('    at ')
})
