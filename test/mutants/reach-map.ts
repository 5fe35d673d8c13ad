/** Which test files run which blocks of the sources, kept between runs. */

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { NamedTests, Project } from './daily-loop.ts'
import type { Mutant } from './mutations.ts'
import { instrumented, NODE_RECORDER, REACHED_FILE, RUNTIME, TEST_RECORDER } from './reach.ts'
import { scratchCopy, type Scratch } from './scratch.ts'
import type { Sources } from './sources.ts'
import { TestHost, type Effort } from './test-host.ts'

/** What a test file reaches, and what it takes. */
interface Reached extends Effort {
  /** Of the test file. */
  readonly hash: string
  readonly passed: boolean
  /** Whether it runs the Worker in a workerd whose blocks nothing records, so that it may reach any. */
  readonly startsRuntime: boolean
  /** Source → its hash when it was run, and the blocks that were reached by a test, not by loading the module. */
  readonly sources: Readonly<Record<string, { readonly hash: string; readonly blocks: number[] }>>
}

type Kept = Record<string, Reached>

/** Whether it runs in workerd: all but what Node runs for `npm start` and the other commands. */
const isOfWorker = (file: string): boolean => /^worker\/(?!local\/(?!workers\/))/.test(file)

const keptIn = (path: string): Kept =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Kept) : {}

const hashOf = (text: string): string => createHash('sha1').update(text).digest('hex').slice(0, 12)

const hashOfFile = (path: string): string => hashOf(readFileSync(path, 'utf8'))

/** Loads all modules of the Worker, so that no test file's blocks are those that loading reaches. */
const WARM_UP: Readonly<Partial<Record<Project, string>>> = {
  pure: 'test/query/mutants-warm-up.test.ts',
  worker: 'test/worker/mutants-warm-up.test.ts',
}
const WARM_UP_TEXT = `
import { it } from 'vitest'
const modules = import.meta.glob(['../../worker/**/*.ts', '!../../worker/local/**', '!../../worker/console/browser/**'])
it('loads all modules', async () => {
  for (const load of Object.values(modules)) await load().catch(() => null)
})
`

/** How long nothing may happen while test files run for what they reach, in seconds. */
const LONGEST_IDLE = 600

/** @returns what ends the tests and removes their folder; the end of this process does it, too */
function stopOnExit(host: TestHost, scratch: Scratch): () => void {
  const stop = (): void => {
    process.removeListener('exit', stop)
    host.kill()
    scratch.remove()
  }
  process.once('exit', stop)
  return stop
}

export class ReachMap {
  private readonly kept: Kept
  /** Of test files. */
  private readonly texts = new Map<string, string>()

  constructor(
    private readonly root: string,
    private readonly path: string,
    private readonly sources: Sources,
  ) {
    this.kept = keptIn(path)
  }

  /** Runs the test files that are unknown or changed. */
  async learn(named: readonly NamedTests[], tell: (text: string) => void): Promise<void> {
    for (const project of ['pure', 'worker', 'catcher', 'proofs'] as const) {
      Object.assign(this.kept, keptIn(this.path))
      const files = named.flatMap((one) => (one.project === project ? one.files : []))
      const unknown = [...new Set(files)].filter(
        (file) =>
          !this.kept[file]?.passed || this.kept[file].hash !== hashOfFile(join(this.root, file)),
      )
      if (unknown.length > 0) await this.run(project, unknown, tell)
    }
  }

  private async run(
    project: Project,
    tests: readonly string[],
    tell: (text: string) => void,
  ): Promise<void> {
    const scratch = scratchCopy(this.root)
    const at = (name: string): string => join(scratch.folder, name)
    const files = [...this.sources.keys()]
    const reachedFile = at('node_modules/reached')
    writeFileSync(reachedFile, '')
    writeFileSync(at('node_modules/node-recorder.cjs'), NODE_RECORDER)
    writeFileSync(at('test-recorder.ts'), TEST_RECORDER)
    const warmUp = WARM_UP[project]
    const first = warmUp === undefined ? [] : [warmUp]
    for (const name of first) writeFileSync(at(name), WARM_UP_TEXT)
    const efforts = new Map<string, Effort>()
    let before: Effort = { cpu: 0, idle: 0 }
    const host = new TestHost(scratch, project, {
      setup: at('test-recorder.ts'),
      env: {
        NODE_OPTIONS: `--require ${at('node_modules/node-recorder.cjs')}`,
        [REACHED_FILE]: reachedFile,
      },
      onEnded: (file, { cpu, idle }) => {
        efforts.set(file, { cpu: cpu - before.cpu, idle: idle - before.idle })
        before = { cpu, idle }
        tell(
          `${efforts.size} of ${tests.length + first.length} test files run for what they reach: ${file}`,
        )
      },
    })
    const stop = stopOnExit(host, scratch)
    try {
      const write = Object.fromEntries(
        [...this.sources.values()].map(({ file, text, blocks }, index) => [
          file,
          instrumented(text, blocks, index),
        ]),
      )
      const run = await host.run(
        { write, tests: [...first, ...tests], bail: false },
        { cpu: Infinity, idle: LONGEST_IDLE },
      )
      if (run.kind !== 'done') {
        const problem = run.kind === 'died' ? `\n${run.problem}` : ''
        throw new Error(`The tests of ${project} ${run.kind}.${problem}`)
      }
      const failing = run.files.filter(({ passed }) => !passed).map(({ file }) => file)
      const failingToo = await this.failingAsTheyAre(project, failing, tell)
      for (const outcome of run.files) {
        const blocks = outcome.reached
        // Of the copy that was run: somebody may have changed the test meanwhile.
        const hash = first.includes(outcome.file) ? '' : hashOfFile(at(outcome.file))
        this.kept[outcome.file] = {
          hash,
          passed: !failingToo.has(outcome.file),
          startsRuntime: blocks.includes(RUNTIME),
          sources: this.reachedBy(blocks, files),
          ...(efforts.get(outcome.file) ?? { cpu: 0, idle: 0 }),
        }
      }
      mkdirSync(dirname(this.path), { recursive: true })
      // Another run may have learned more meanwhile.
      writeFileSync(this.path, JSON.stringify({ ...keptIn(this.path), ...this.kept }))
    } finally {
      stop()
    }
  }

  /** Those of the test files that fail without what records, too: a test that measures sources fails over longer ones. */
  private async failingAsTheyAre(
    project: Project,
    tests: readonly string[],
    tell: (text: string) => void,
  ): Promise<ReadonlySet<string>> {
    if (tests.length === 0) return new Set()
    const scratch = scratchCopy(this.root)
    const host = new TestHost(scratch, project)
    const stop = stopOnExit(host, scratch)
    try {
      const run = await host.run(
        { write: {}, tests, bail: false },
        { cpu: Infinity, idle: LONGEST_IDLE },
      )
      const passed = run.kind === 'done' ? run.files.filter((one) => one.passed) : []
      if (run.kind === 'done')
        for (const { file, failure } of run.files) if (failure) tell(`${file} fails: ${failure}`)
      return new Set(tests.filter((test) => passed.every(({ file }) => file !== test)))
    } finally {
      stop()
    }
  }

  /** @param blocks `FILE:BLOCK`, with the number of the file */
  private reachedBy(blocks: readonly string[], files: readonly string[]): Reached['sources'] {
    const sources: Record<string, { hash: string; blocks: number[] }> = {}
    for (const block of new Set(blocks)) {
      if (block === RUNTIME) continue
      const [source, index] = block.split(':').map(Number) as [number, number]
      const file = files[source]!
      sources[file] ??= { hash: hashOf(this.sources.get(file)!.text), blocks: [] }
      sources[file].blocks.push(index)
    }
    return sources
  }

  effortOf(tests: readonly string[]): Effort {
    const efforts = tests.map((test) => this.kept[test]!)
    return {
      cpu: efforts.reduce((sum, { cpu }) => sum + cpu, 0),
      idle: efforts.reduce((sum, { idle }) => sum + idle, 0),
    }
  }

  /** Test files that fail as the sources are, so that their failure would say nothing of a mutant. */
  failing(tests: readonly string[]): string[] {
    return tests.filter((test) => this.kept[test]?.passed === false)
  }

  /**
   * The test files that run the block of a mutant: first those that name the module, as an import or a row of test/edges does,
   * then those that have words of the mutant's line or its module's name, as the name of a setting, then those whose names have words of the
   * module's name, as CONTRIBUTING.md has people choose them, then by the share of the module in
   * the blocks that they run. For what runs when the module is loaded: those
   * that run any block of the module, or of its neighbours if it has none. Then those that may.
   */
  nearest(tests: readonly string[], { file, block, source }: Mutant): readonly string[] {
    const passing = tests.filter((test) => this.kept[test]?.passed)
    const recorded = this.recorded(passing, file, block, source)
    const others = passing.filter(
      (test) => this.kept[test]?.startsRuntime && !recorded.includes(test),
    )
    return isOfWorker(file) ? [...recorded, ...this.byNearness(others, [file], source)] : recorded
  }

  private recorded(
    passing: readonly string[],
    file: string,
    block: number,
    line: string,
  ): readonly string[] {
    const running = passing.filter((test) => this.runs(test, file, block))
    if (running.length > 0 || !this.runsOnLoad(file, block))
      return this.byNearness(running, [file], line)
    const modules = passing.some((test) => this.kept[test]!.sources[file])
      ? [file]
      : this.nearestRun(passing, file)
    return this.byNearness(
      // A test that only looks at the tables of a module runs no block of it.
      passing.filter(
        (test) => this.names(test, file) || modules.some((one) => this.kept[test]!.sources[one]),
      ),
      modules,
      line,
    )
  }

  private runs(test: string, file: string, block: number): boolean {
    const reached = this.kept[test]?.sources[file]
    if (reached === undefined) return false
    return reached.hash !== hashOf(this.sources.get(file)!.text) || reached.blocks.includes(block)
  }

  private runsOnLoad(file: string, block: number): boolean {
    return block < 0 || Object.values(WARM_UP).some((test) => this.runs(test, file, block))
  }

  /** The nearest importers that tests run; of a program, which nothing imports, the nearest modules that it imports. */
  private nearestRun(tests: readonly string[], file: string): readonly string[] {
    const isProgram = this.sources.get(file)?.importers.length === 0
    const seen = new Set([file])
    let level: readonly string[] = [file]
    while (level.length > 0) {
      const next = level.flatMap((one) => {
        const source = this.sources.get(one)
        return (isProgram ? source?.imported : source?.importers) ?? []
      })
      level = [...new Set(next)].filter((one) => !seen.has(one))
      for (const one of level) seen.add(one)
      const run = level.filter((one) => tests.some((test) => this.kept[test]!.sources[one]))
      if (run.length > 0) return run
    }
    return []
  }

  private byNearness(
    tests: readonly string[],
    files: readonly string[],
    line: string,
  ): readonly string[] {
    const said = wordsSaid(
      [line, ...files.map((file) => basename(file, '.ts'))].join(' '),
      tests.map((test) => this.textOf(test)),
    )
    const saying = new Map(tests.map((test, index) => [test, said[index]!]))
    const nearness = (test: string): number => {
      const { sources } = this.kept[test]!
      const all = Object.values(sources).reduce((sum, { blocks }) => sum + blocks.length, 0)
      const own = files.reduce((sum, one) => sum + (sources[one]?.blocks.length ?? 0), 0)
      return own / Math.max(1, all)
    }
    const shared = (test: string): number =>
      Math.max(...files.map((file) => sharedWords(test, file)))
    const naming = new Set(tests.filter((test) => files.some((file) => this.names(test, file))))
    return [...tests].sort(
      (one, other) =>
        Number(naming.has(other)) - Number(naming.has(one)) ||
        saying.get(other)! - saying.get(one)! ||
        shared(other) - shared(one) ||
        nearness(other) - nearness(one),
    )
  }

  /** Whether a test file has the path of a module from `worker/`, `tools/` or the catcher's folder on. */
  private names(test: string, file: string): boolean {
    const text = this.textOf(test)
    const path = file.slice(file.indexOf('/') + 1)
    return text.includes(`/${path}'`) || text.includes(`'${path} `)
  }

  private textOf(test: string): string {
    const text = this.texts.get(test) ?? readFileSync(join(this.root, test), 'utf8')
    this.texts.set(test, text)
    return text
  }
}

/** How many words of a line each text has, of those that few of the texts have. */
export function wordsSaid(line: string, texts: readonly string[]): number[] {
  // `trace.bytes` by its parts as well: a test has the field of an answer without its object.
  const words = [...new Set([/[\w.-]{5,}/g, /\w{5,}/g].flatMap((word) => line.match(word) ?? []))]
  const saying = words
    .map((word) => texts.map((text) => text.includes(word)))
    .filter((has) => has.filter(Boolean).length * 8 <= texts.length)
  return texts.map((_, index) => saying.filter((has) => has[index]).length)
}

const wordsOf = (path: string): readonly string[] =>
  basename(path)
    .replace(/(?:\.test)?\.ts$/, '')
    .split('-')

const sharedWords = (test: string, source: string): number => {
  const words = new Set(wordsOf(test))
  return wordsOf(source).filter((word) => words.has(word)).length
}
