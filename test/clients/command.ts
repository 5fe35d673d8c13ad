/** Programs of the machine, started without a shell. */

import { spawn, type ChildProcess } from 'node:child_process'

export interface Outcome {
  /** Null when the program could not be started, or a signal ended it. */
  readonly code: number | null
  readonly output: string
  /** What it wrote on its error stream, or why it could not be started. */
  readonly errors: string
}

const PATIENCE = 120_000

const running = new Set<ChildProcess>()

/** Ends the programs that are still running, before they can write anything more. */
export function endPrograms(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Runs a program to its end; whether that was a good one is the caller's to judge. */
export function execute(
  program: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PATIENCE,
    })
    running.add(child)
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    child.on('error', (error) => resolve({ code: null, output, errors: error.message }))
    child.on('close', (code) => {
      running.delete(child)
      resolve({ code, output, errors })
    })
  })
}

/** Runs a program that must end with exit code 0, and gives what it printed. */
export async function succeed(
  program: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, output, errors } = await execute(program, parameters, environment)
  if (code !== 0) {
    throw new Error(`${program} ${parameters.join(' ')}: exit code ${code}\n${errors}${output}`)
  }
  return output
}

/** The first of several interpreters that runs a program without an error, if any does. */
export async function firstThatRuns(
  interpreters: readonly string[],
  parameters: readonly string[],
): Promise<string | undefined> {
  for (const interpreter of interpreters) {
    if ((await execute(interpreter, parameters)).code === 0) return interpreter
  }
  return undefined
}
