/** `npm start` as a process of its own. */

import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { KEEP_ALL } from './keep-all.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What `npm start` gives to Node. @param root folder of the project, which a bundled benchmark can't see from its own place */
export function startWords(root = ROOT): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string }
  }
  const [node, ...words] = scripts.start.split(' ')
  if (node !== 'node') throw new Error(`npm start runs ${node}.`)
  return words
}

/** Those that run: a test that fails does not stop its own. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export interface Started {
  /** Where it answers, once it does; fails where it ends before. */
  readonly ready: Promise<string>
  /** Its exit code as a shell sees it, and all that it wrote. */
  readonly ended: Promise<{ readonly code: number; readonly output: string }>
  readonly output: () => string
  readonly stop: (signal: NodeJS.Signals) => Started['ended']
  readonly pid: number
}

export interface How {
  readonly environment?: Readonly<Record<string, string>>
  /** User and group that it runs as. */
  readonly user?: number
  readonly root?: string
  /** A command that runs it, such as in another namespace. */
  readonly through?: readonly string[]
}

/** Runs it with these words; nothing expires unless the environment says otherwise. */
export function npmStart(
  words: readonly string[],
  { root = ROOT, through = [], ...how }: How = {},
): Started {
  const [program, ...before] = [...through, process.execPath]
  return startProgram(program, [...before, ...startWords(root), ...words], root, how)
}

/** Starts a service by any program, in a working folder. */
export function startProgram(
  program: string,
  words: readonly string[],
  cwd: string,
  { environment = {}, user }: Pick<How, 'environment' | 'user'>,
): Started {
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, ...KEEP_ALL, ...environment },
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
  running.add(child)
  let output = ''
  const ended = new Promise<{ code: number; output: string }>((resolve) =>
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve({ code: code ?? 128 + constants.signals[signal!], output })
    }),
  )
  const ready = new Promise<string>((resolve, reject) => {
    const take = (piece: Buffer): void => {
      output += piece.toString()
      const url = /listening on (https?:\S+)/.exec(output)?.[1]
      if (url && output.includes('"url"')) resolve(url)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    void ended.then((end) => reject(new Error(`ended: ${end.output}`)))
  })
  ready.catch(() => undefined)
  const stop = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return { ready, ended, output: () => output, stop, pid: child.pid! }
}
