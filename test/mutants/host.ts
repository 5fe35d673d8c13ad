/**
 * A process that runs test files in a scratch copy, again and again: `launch.mjs test/mutants/host.ts FOLDER PROJECT [SETUP]`.
 * Most of the time of one run is the start of vitest and the transformation of modules, and both happen here only once.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import type { TestModule, TestSpecification, Vitest } from 'vitest/node'

/** What the host is asked to do: to write sources, then to run test files in this order. */
export interface HostTask {
  /** Paths from the scratch copy's root → texts. */
  readonly write: Readonly<Record<string, string>>
  /** Paths from the scratch copy's root. */
  readonly tests: readonly string[]
  readonly bail: boolean
}

/** What became of a test file. */
export interface FileOutcome {
  readonly file: string
  readonly passed: boolean
  /** The first failure: name of the test, and message. */
  readonly failure: string | null
  /** The blocks of sources that it ran. */
  readonly reached: readonly string[]
}

export type HostMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'begun' | 'ended'; readonly file: string }
  | { readonly kind: 'done'; readonly files: readonly FileOutcome[]; readonly error: string | null }

const [folder, project, setup] = process.argv.slice(2) as [string, string, string | undefined]
const isCatcher = project === 'catcher'
const root = isCatcher ? join(folder, 'local-catcher') : folder
process.chdir(root)

const say = (message: HostMessage): void => {
  process.send!(message)
}
const pathOf = ({ moduleId }: TestModule): string => moduleId.slice(folder.length + 1)

const { createVitest, BaseSequencer } = await import('vitest/node')

/** The order in which this task names the files. */
let order: readonly string[] = []

class TaskSequencer extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      order.indexOf(moduleId.slice(folder.length + 1))
    return Promise.resolve([...files].sort((one, other) => place(one) - place(other)))
  }
}

const vitest = await createVitest('test', {
  root,
  watch: false,
  maxWorkers: 1,
  fileParallelism: false,
  ...(isCatcher ? {} : { project: [project] }),
  sequence: { sequencer: TaskSequencer },
  onConsoleLog: () => false,
  reporters: [
    {
      onTestModuleStart: (module: TestModule) => say({ kind: 'begun', file: pathOf(module) }),
      onTestModuleEnd: (module: TestModule) => say({ kind: 'ended', file: pathOf(module) }),
    },
  ],
})
for (const { config } of vitest.projects) {
  // The process that started this one has limits that don't depend on the machine's other work.
  config.testTimeout = 0
  config.hookTimeout = 0
  if (setup !== undefined) config.setupFiles = [setup, ...config.setupFiles]
}

process.on('message', (task: HostTask) => void run(vitest, task).then(say))
process.on('disconnect', () => process.exit())
say({ kind: 'ready' })

async function run(vitest: Vitest, { write, tests, bail }: HostTask): Promise<HostMessage> {
  for (const [path, text] of Object.entries(write)) replace(vitest, path, text)
  order = tests
  // What became of the last task's files is no result of this one.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  for (const { config } of [vitest, ...vitest.projects]) config.bail = bail ? 1 : 0
  try {
    const found = await vitest.globTestSpecifications(tests.map((path) => join(folder, path)))
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(found)
    const [error] = unhandledErrors
    return {
      kind: 'done',
      files: testModules.map(outcome),
      error: error === undefined ? null : (error as Error).message || 'an unhandled error',
    }
  } catch (error) {
    return { kind: 'done', files: [], error: String(error) }
  }
}

/** Writes a source, and for the catcher also what its command is built to. */
function replace(vitest: Vitest, path: string, text: string): void {
  writeFileSync(join(folder, path), text)
  vitest.invalidateFile(join(folder, path))
  if (!isCatcher) return
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
    },
  })
  const ownUrl = `require('node:url').pathToFileURL(__filename).href`
  const built = path.replace('local-catcher/src/', 'local-catcher/dist/').replace(/\.ts$/, '.js')
  // The setup of the tests builds all of it, but only when the first of them is run.
  mkdirSync(dirname(join(folder, built)), { recursive: true })
  writeFileSync(join(folder, built), outputText.replaceAll('import.meta.url', ownUrl))
}

function outcome(module: TestModule): FileOutcome {
  const failed = [...module.children.allTests('failed')][0]
  const [error] = [...(failed?.result().errors ?? []), ...module.errors()]
  const name = failed?.fullName ?? 'the file'
  return {
    file: pathOf(module),
    passed: module.state() !== 'failed',
    failure:
      failed === undefined && error === undefined
        ? null
        : `${name}: ${(error?.message ?? '').split('\n')[0]}`,
    reached: (module.meta() as { reached?: readonly string[] }).reached ?? [],
  }
}
