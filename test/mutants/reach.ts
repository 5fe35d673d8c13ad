/** Finds out which test files run which blocks of the sources. */

import type { Block } from './mutations.ts'

/** The variable of the environment that names the file to which Node's processes append the blocks that they reach. */
export const REACHED_FILE = 'MUTANTS_REACHED'

/** The text with a call at the beginning of each block. @param file number of the file */
export function instrumented(text: string, blocks: readonly Block[], file: number): string {
  const insertions = blocks.flatMap(({ start, end }, index) => {
    const call = `globalThis.reached?.('${file}:${index}')`
    if (end === null) return [{ at: start, text: `;${call};`, outermost: false }]
    return [
      { at: start, text: `(${call},`, outermost: true },
      { at: end, text: ')', outermost: false },
    ]
  })
  let [result, from] = ['', 0]
  for (const { at, text: inserted } of insertions.sort((one, other) => one.at - other.at)) {
    result += text.slice(from, at) + inserted
    from = at
  }
  return result + text.slice(from)
}

/** What is recorded of a process that starts workerd, which can't write to the file. */
export const RUNTIME = 'runtime'

/** A module that Node's processes load first: blocks that they reach are appended to a file, each once. */
export const NODE_RECORDER = `
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs')
const processes = require('node:child_process')
const { syncBuiltinESMExports } = require('node:module')
const file = process.env.${REACHED_FILE}
const seen = new Set()
globalThis.reached = (block) => {
  if (seen.has(block)) return
  seen.add(block)
  try { appendFileSync(file, block + '\\n') } catch {}
}
globalThis.reached.begin = () => {
  seen.clear()
  writeFileSync(file, '')
}
globalThis.reached.read = () => readFileSync(file, 'utf8').split('\\n').filter(Boolean)
const { spawn } = processes
processes.spawn = (command, ...rest) => {
  if (/workerd/.test([command, ...rest.slice(0, 1)].join())) globalThis.reached('${RUNTIME}')
  return spawn(command, ...rest)
}
syncBuiltinESMExports()
`

/**
 * A setup file of tests: what a test file reached goes back with its results. It is read before the next test file begins,
 * whose blocks would else count as this one's. Workerd has no files, and its blocks are kept in memory.
 */
export const TEST_RECORDER = `
import { afterAll } from 'vitest'
const recorder = globalThis.reached
const seen = new Set()
if (recorder?.begin) recorder.begin()
else globalThis.reached = (block) => { seen.add(block) }
afterAll(({}, suite) => { suite.meta.reached = [...new Set(recorder?.read?.() ?? seen)] })
`
