/** CI fails where a command leaves something behind. */

import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runWatched } from '../ci/leftovers.ts'

let checkout = ''
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'checkout-'))
  execFileSync('git', ['init', '-q', checkout])
})
afterAll(() => rm(checkout, { recursive: true, force: true }))

const LISTENER = `require('node:net').createServer().listen(0, '127.0.0.1', () => console.log('It listens.'))`
/** Ends once what it has started listens, which has no variables of it. */
const listening = (...words: string[]): string =>
  `const child = child_process.spawn(process.execPath, ${JSON.stringify(['-e', LISTENER, ...words])}, { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: {} });
  child.stdout.once('data', () => process.exit())`
const leaving = (program: string): string[] => [process.execPath, '-e', program]

it.skipIf(process.platform !== 'linux').each<[what: string, program: string, left: RegExp[]]>([
  ['nothing', '', []],
  [
    'a file in the temporary folder',
    `fs.writeFileSync(os.tmpdir() + '/a', '')`,
    [/^temporary file: a$/],
  ],
  ['a file in the checkout', `fs.writeFileSync('b', '')`, [/^file in the checkout: b$/]],
  ['a build', `fs.mkdirSync('dist'); fs.writeFileSync('dist/c', '')`, []],
  [
    'a process that listens, in a session of its own',
    listening().replace('env: {}', ''),
    [/^process \d+: .*createServer/, /^port \d+$/],
  ],
  [
    'a process without its variables',
    `const file = os.tmpdir() + '/'; ${listening('FILE').replace('"FILE"', 'file')}`,
    [/^process \d+: .*createServer/, /^port \d+$/],
  ],
])('a command that leaves %s', async (_, program, left) => {
  // What listens never ends.
  const longestEndMs = program.includes('spawn') ? 0 : undefined
  const { code, leftovers } = await runWatched(leaving(program), checkout, longestEndMs)
  expect([code, leftovers]).toEqual([0, left.map((one) => expect.stringMatching(one))])
})

it('a command that fails has its exit code', async () => {
  expect(await runWatched(leaving('process.exit(3)'), checkout)).toEqual({ code: 3, leftovers: [] })
})
