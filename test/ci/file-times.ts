/** A reporter of vitest: appends a line of JSON for each test file to the file that FILE_TIMES names. */

import { appendFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

export interface FileTime {
  readonly file: string
  /** Seconds from its first import to the end of its last hook; files run side by side. */
  readonly seconds: number
  readonly passed: number
  readonly failed: number
}

export default class FileTimes implements Reporter {
  private readonly path = process.env['FILE_TIMES']

  onTestModuleEnd(module: TestModule): void {
    if (this.path === undefined) return
    const { duration, collectDuration, setupDuration } = module.diagnostic()
    const tests = [...module.children.allTests()]
    const count = (state: string): number =>
      tests.filter((one) => one.result().state === state).length
    const time: FileTime = {
      file: relative(join(import.meta.dirname, '../..'), module.moduleId),
      seconds: (duration + collectDuration + setupDuration) / 1000,
      passed: count('passed'),
      failed: count('failed') + (module.errors().length > 0 ? 1 : 0),
    }
    appendFileSync(this.path, `${JSON.stringify(time)}\n`)
  }
}
