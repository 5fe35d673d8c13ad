/**
 * `npm run test:mutants -- [FOLDER …]`: changes the sources in one place at a time, and tries whether the nearest test
 * files notice. Options and how to read the table: README.md.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withoutAccepted } from './accepted.ts'
import { dailyLoop, importingTests, type NamedTests, type Project } from './daily-loop.ts'
import { drawOrder } from './draw.ts'
import { mutated, mutationText, type Mutant } from './mutations.ts'
import { ReachMap } from './reach-map.ts'
import { GOAL, printReport, type Outcome } from './report.ts'
import { scratchCopy } from './scratch.ts'
import { folderOf, readSources } from './sources.ts'
import { TestHost, type Effort, type Run } from './test-host.ts'
import { projectTypes } from './types.ts'

const USAGE = `npm run test:mutants -- [FOLDER …] [--count 300] [--seed N] [--jobs N] [--file SOURCE]
                              [--most-files 12] [--again]`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(Math.max(1, availableParallelism() >> 1)) },
    file: { type: 'string' },
    'most-files': { type: 'string', default: '12' },
    again: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}
const [count, seed, jobs, mostFiles] = [
  values.count,
  values.seed,
  values.jobs,
  values['most-files'],
].map(Number) as [number, number, number, number]

const outcomes: Outcome[] = []

// What is registered for the exit of the process removes scratch copies and ends tests.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    if (outcomes.length > 0) printReport(outcomes)
    process.exit(130)
  })
}

const ROOT = process.cwd()
const CACHE = join(ROOT, 'node_modules/.cache/mutants')

const tell = (text: string): void => void process.stderr.write(`${text}\n`)

const sources = readSources(ROOT)
const all = [...sources.values()].flatMap(({ mutants }) => mutants)
const { mutants: open, outdated } = withoutAccepted(all)
for (const { file, source, mutation } of outdated)
  console.log(`accepted.ts: there is no mutant ${mutation} in ${file}: ${source}`)

const survivors = new Set(values.again ? read<string[]>('survivors.json', []) : [])
const wanted = open.filter(
  (mutant) =>
    (positionals.length === 0 || positionals.includes(folderOf(mutant.file))) &&
    (values.file === undefined || mutant.file === values.file) &&
    (!values.again || survivors.has(keyOf(mutant))),
)
if (wanted.length === 0) throw new Error(`There are no such mutants.\n${USAGE}`)

const [ofFolder, importing] = [dailyLoop(ROOT), importingTests(ROOT)]
const reach = new ReachMap(ROOT, join(CACHE, 'reach.json'), sources)
/** Proofs take minutes, and are asked only about what survives the other tests. */
const isLast = ({ project }: NamedTests): boolean => project === 'proofs'
const leftOut = new Set<string>()
await learn(
  [...new Set(wanted.map(({ file }) => file))].flatMap(testsOf).filter((one) => !isLast(one)),
)

/** Kills of test files so far, by source. */
const kills = read<Record<string, Record<string, number>>>('kills.json', {})

tell(`Mutants are drawn of ${wanted.length} (seed ${seed})`)
const queue = draw()
const begun = performance.now()
const stops = new Set<() => void>()
/** What proofs reach is recorded once, when it is first needed. */
let learning: Promise<void> = Promise.resolve()
process.once('exit', () => {
  for (const stop of stops) stop()
})
await Promise.all(Array.from({ length: jobs }, work))

const minutes = ((performance.now() - begun) / 60_000).toFixed(0)
console.log(`Seed ${seed}, ${minutes} minutes with ${jobs} at a time.\n`)
const share = printReport(outcomes)
write(
  'survivors.json',
  outcomes.flatMap(({ fate, mutant }) =>
    fate === 'survived' || fate === 'not covered' ? [keyOf(mutant)] : [],
  ),
)
write('last.json', outcomes)
if (share < GOAL || outdated.length > 0) process.exitCode = 1

/** The test files that concern a source, each once. */
function testsOf(file: string): readonly NamedTests[] {
  const ofOwn = ofFolder(folderOf(file))
  if (ofOwn.length === 0) throw new Error(`CONTRIBUTING.md names no tests for ${folderOf(file)}/.`)
  const all = [...ofOwn, ...importing(file)]
  const named = [...new Set(all.map(({ project }) => project))].map((project) => ({
    project,
    files: [...new Set(all.flatMap((one) => (one.project === project ? one.files : [])))],
  }))
  return [...named.filter((one) => !isLast(one)), ...named.filter(isLast)]
}

/** Runs the test files for what they reach, where that is unknown. */
async function learn(named: readonly NamedTests[]): Promise<void> {
  await reach.learn(named, tell)
  for (const test of reach.failing(named.flatMap(({ files }) => files))) {
    if (!leftOut.has(test)) console.log(`Left out, as it fails without a mutant: ${test}`)
    leftOut.add(test)
  }
}

/** The first mutants of the draw that compile, as many as are wanted; the others are outcomes. */
function* draw(): Generator<Mutant> {
  const types = projectTypes(ROOT)
  let compiling = 0
  for (const mutant of drawOrder(wanted, folderOf, seed)) {
    if (compiling === count) return
    const error = types(mutant.file).errorIn(mutant.file, textWith(mutant))
    if (error === null) {
      compiling++
      yield mutant
    } else outcomes.push({ mutant, fate: 'types', by: error })
  }
}

function textWith(mutant: Mutant): string {
  return mutated(sources.get(mutant.file)!.text, mutant)
}

/** The test files of a project that a mutant must survive. */
function nearestOf(mutant: Mutant, files: readonly string[]): readonly string[] {
  const killed = kills[mutant.file] ?? {}
  return [...reach.nearest(files, mutant)]
    .sort((one, other) => (killed[other] ?? 0) - (killed[one] ?? 0))
    .slice(0, mostFiles)
}

/** Takes mutants from the draw until it ends. */
async function work(): Promise<void> {
  const scratch = scratchCopy(ROOT)
  const hosts = new Map<Project, TestHost>()
  const stop = (): void => {
    for (const host of hosts.values()) host.kill()
    scratch.remove()
  }
  stops.add(stop)
  /** What a host knows as its last mutant: others don't tell it that the file is as it was. */
  const toRestore = new Map<TestHost, Record<string, string>>()
  for (const mutant of queue) {
    const { text } = sources.get(mutant.file)!
    const survived: string[] = []
    let outcome: Outcome = { mutant, fate: 'not covered', by: 'No test file reaches it.' }
    for (const named of testsOf(mutant.file)) {
      if (isLast(named)) await (learning = learning.then(() => learn([named])))
      const { project } = named
      const tests = nearestOf(mutant, named.files)
      if (tests.length === 0) continue
      const host = hosts.get(project) ?? new TestHost(scratch, project)
      hosts.set(project, host)
      const write = { ...toRestore.get(host), [mutant.file]: textWith(mutant) }
      const run = await host.run({ write, tests, bail: true }, limitOf(reach.effortOf(tests)))
      // A host that is started next builds what the tests need.
      writeFileSync(join(scratch.folder, mutant.file), text)
      toRestore.set(host, { [mutant.file]: text })
      survived.push(...tests)
      outcome = outcomeOf(mutant, run, survived)
      if (outcome.fate !== 'survived') break
    }
    outcomes.push(outcome)
    tell(`${outcomes.length}: ${outcome.fate}: ${nameOf(mutant)} (${outcome.by})`)
    write('kills.json', kills)
  }
  stop()
  stops.delete(stop)
}

/** Several times what the tests take without a mutant, and the start of a host. */
function limitOf({ cpu, idle }: Effort): Effort {
  return { cpu: 20 + 4 * cpu, idle: 60 + 3 * idle }
}

function outcomeOf(mutant: Mutant, run: Run, tests: readonly string[]): Outcome {
  if (run.kind === 'died') return { mutant, fate: 'killed', by: 'Vitest ended.' }
  if (run.kind === 'timed out')
    return { mutant, fate: 'timed out', by: `${run.of} limit, in one of ${tests.join(', ')}` }
  const failed = run.files.find(({ passed }) => !passed)
  if (failed) {
    const ofSource = (kills[mutant.file] ??= {})
    ofSource[failed.file] = (ofSource[failed.file] ?? 0) + 1
    return { mutant, fate: 'killed', by: `${failed.file}: ${failed.failure ?? ''}` }
  }
  if (run.error !== null) return { mutant, fate: 'killed', by: run.error }
  return { mutant, fate: 'survived', by: tests.join(', ') }
}

function nameOf(mutant: Mutant): string {
  return `${mutant.file}:${mutant.line} ${mutationText(mutant)}`
}

/** The same in another run, though lines may have moved. */
function keyOf({ file, source, ordinal }: Mutant): string {
  return `${file}: ${source} ${ordinal}`
}

function read<Content>(name: string, otherwise: Content): Content {
  const path = join(CACHE, name)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Content) : otherwise
}

function write(name: string, content: unknown): void {
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(join(CACHE, name), JSON.stringify(content))
}
