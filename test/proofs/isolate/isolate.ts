/** Runs a program of the Worker's own code in an isolate with a limited heap, which V8 ends where that is not enough. */

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { buildProgram } from '../../../bench/program.ts'
import type { Probe } from '../../../bench/probe.ts'
import { hostModules } from '../../../worker/local/host-modules.ts'
import type {
  FromIsolate,
  IsolateAnswer,
  IsolateOptions,
  IsolateRequest,
  ToIsolate,
} from './service.ts'

/** What an isolate of Workers has. */
export const ISOLATE_MB = 128
/** The young generation has three semi-spaces of whole megabytes. */
const YOUNG_MB = 6

export async function buildIn(folder: string, entry: string): Promise<string> {
  const program = join(folder, 'isolate.mjs')
  // The Worker's code names the console's files, which are built with it.
  await hostModules(join(import.meta.dirname, '../../..'))
  await buildProgram(entry, program)
  return program
}

function limited(program: string, data: unknown, limitMB: number): Worker {
  const worker = new Worker(program, {
    workerData: data,
    // The log of the service is not the test's.
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: limitMB - YOUNG_MB,
      maxYoungGenerationSizeMb: YOUNG_MB,
    },
  })
  // What nobody reads would be held for ever.
  worker.stdout.resume()
  worker.stderr.resume()
  return worker
}

/** What the program posts; null where V8 ended it for its heap. */
export function runWithin<Answer>(
  program: string,
  data: unknown,
  limitMB = ISOLATE_MB,
): Promise<Answer | null> {
  const worker = limited(program, data, limitMB)
  return new Promise((resolve, reject) => {
    worker.on('message', (answer: Answer) => {
      resolve(answer)
      void worker.terminate()
    })
    worker.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(null) : reject(error),
    )
    // Has no effect after another event has settled the promise.
    worker.on('exit', (code) => reject(new Error(`The isolate ended with ${code}.`)))
  })
}

/** An isolate that lives on between requests (service.ts). Its database is asked outside. */
export class Isolate {
  private readonly answers = new Map<number, PromiseWithResolvers<IsolateAnswer>>()
  private requests = 0

  private constructor(
    private readonly worker: Worker,
    probe: Probe,
  ) {
    const post = (message: ToIsolate): void => worker.postMessage(message)
    worker.on('message', (message: FromIsolate) => {
      const { id } = message
      if ('statements' in message) {
        probe(message.statements).then(
          (results) => post({ id, results: JSON.stringify(results) }),
          (error: NodeJS.ErrnoException) => post({ id, failure: failureOf(error) }),
        )
        return
      }
      this.answers.get(id)!.resolve(message.answer)
      this.answers.delete(id)
    })
    const end = (error: Error): void => {
      for (const { reject } of this.answers.values()) reject(error)
    }
    worker.on('error', end)
    worker.on('exit', (code) => end(new Error(`The isolate ended with ${code}.`)))
  }

  /** @param limitMB of its heap, at which V8 ends it */
  static start(
    program: string,
    options: IsolateOptions,
    probe: Probe,
    limitMB = ISOLATE_MB,
  ): Isolate {
    return new Isolate(limited(program, options, limitMB), probe)
  }

  /** @throws Error where the isolate ended before it answered */
  request(request: IsolateRequest): Promise<IsolateAnswer> {
    const id = ++this.requests
    const answer = withResolvers<IsolateAnswer>()
    this.answers.set(id, answer)
    this.worker.postMessage({ id, request } satisfies ToIsolate)
    return answer.promise
  }

  async end(): Promise<void> {
    await this.worker.terminate()
  }
}

/** What D1 says where the connection to it broke off. */
const failureOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ECONNRESET' ? 'D1_ERROR: Network connection lost.' : message

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value) => void
  readonly reject: (error: Error) => void
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let settle: Omit<PromiseWithResolvers<Value>, 'promise'> | null = null
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }))
  return { promise, ...settle! }
}
