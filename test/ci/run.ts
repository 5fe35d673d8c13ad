/**
 * What `.ci/run` does once packages are installed: the checks that a new user would make, what each took, the slowest
 * test files, and what a step has left behind, which fails it.
 */

import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printTable } from '../../bench/table.ts'
import type { FileTime } from './file-times.ts'
import { runWatched } from './leftovers.ts'

const folder = mkdtempSync(join(tmpdir(), 'ci-run-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const bundle = join(folder, 'bundle')
const fileTimes = join(folder, 'file-times')
process.env['FILE_TIMES'] = fileTimes
// Also the suites that are skipped elsewhere while their inputs are the same.
process.env['CI'] ||= 'true'
process.env['CI_REPORTER'] = join(process.cwd(), 'test/ci/file-times.ts')

const STEPS: readonly (readonly [name: string, ...command: string[]])[] = [
  [
    'a deployment that stops before deploying',
    'npx',
    'wrangler',
    'deploy',
    '--dry-run',
    '--outdir',
    bundle,
  ],
  ['npm test', 'npm', 'test'],
  ['proofs of folders that changed', 'npm', 'run', '--silent', 'test:proofs', '--', '--changed'],
  // Users have it before this project's own Node does.
  ['the catcher on the newest Node', 'npm', 'run', 'test:newest', '-w', 'local-catcher'],
]
const SLOWEST = 10

interface Taken {
  readonly step: string
  readonly seconds: number
  readonly cpu: number | null
}

const taken: Taken[] = [
  { step: 'npm ci', seconds: Number(process.env['INSTALL_SECONDS'] ?? 0), cpu: null },
]
const problems: string[] = []
for (const [step, ...command] of STEPS) {
  const [begun, cpuBefore] = [performance.now(), cpuOfChildren()]
  const { code, leftovers } = await runWatched(command, process.cwd())
  taken.push({
    step,
    seconds: (performance.now() - begun) / 1000,
    cpu: cpuBefore === null ? null : cpuOfChildren()! - cpuBefore,
  })
  problems.push(...leftovers.map((left) => `${step} left ${left}`))
  if (code !== 0) problems.push(`${step} ended with ${code}`)
  if (code !== 0) break
}

const times = existsSync(fileTimes)
  ? readFileSync(fileTimes, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as FileTime)
  : []
const slowest = [...times].sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST)
printTable(
  ['step', 'seconds', 'CPU seconds'],
  taken.map(({ step, seconds, cpu }) => [step, seconds, cpu]),
)
console.log()
printTable(
  ['slowest test files', 'seconds', 'tests'],
  slowest.map(({ file, seconds, passed, failed }) => [file, seconds, passed + failed]),
)
for (const problem of problems) console.log(`\n${problem}`)
const sum = (key: 'passed' | 'failed'): number => times.reduce((all, one) => all + one[key], 0)
const failed = Math.max(sum('failed'), Number(problems.length > 0))
console.log(`\n${sum('passed')} passed, ${failed} failed`)
process.exitCode = problems.length > 0 ? 1 : 0

/** CPU seconds of the children that have ended, with those below them that were waited for; null where there is no /proc. */
function cpuOfChildren(): number | null {
  if (process.platform !== 'linux') return null
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const TICKS_PER_SECOND = 100
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}
