/** CPU time that the Worker itself spends on a page, by the clock of the process: in Node, whose V8 is workerd's. */

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import '../newer-node.ts'
import { app } from '../../worker/app.ts'
import { inFolder } from '../folder.ts'
import type { Probe } from '../probe.ts'
import { buildProgram } from '../program.ts'
import { median } from '../statistics.ts'
import { OPEN } from '../binding.ts'
import { recording, type Answers } from './replay.ts'

/** In ms. */
export interface Times {
  /** Until the database is asked: routes, access, plan, SQL. */
  readonly asking: number
  /** From its answer to the page. */
  readonly making: number
}

export interface ProcessorTimes {
  /** Of the first page that an isolate is asked for. */
  readonly cold: Times
  /** Of one that it has made many times. */
  readonly warm: Times
}

const run = promisify(execFile)

/** Takes down what the page asks of the database, then has fresh processes make it from that. */
export async function processorTimes(
  probe: Probe,
  path: string,
  samples: number,
): Promise<ProcessorTimes> {
  const answers: Answers = new Map()
  const request = new Request(`http://127.0.0.1${path}`, { headers: { accept: 'text/html' } })
  const environment = { ...OPEN, DB: recording(probe, answers) }
  const response = await app.fetch(request, environment)
  if (response.status >= 400) throw new Error(`${path} was answered ${response.status}`)
  const text = await response.text()
  return inFolder('replay', async (folder) => {
    const [program, file] = [join(folder, 'make-page.mjs'), join(folder, 'answers.json')]
    await buildProgram('bench/console/make-page.ts', program)
    await writeFile(file, JSON.stringify({ path, text, answers: [...answers] }))
    const times: ProcessorTimes[] = []
    for (let sample = 0; sample < samples; sample++) {
      const { stdout } = await run(process.execPath, [program, file])
      times.push(JSON.parse(stdout) as ProcessorTimes)
    }
    return {
      cold: medianOf(times.map(({ cold }) => cold)),
      warm: medianOf(times.map(({ warm }) => warm)),
    }
  })
}

const medianOf = (times: readonly Times[]): Times => ({
  asking: median(times.map(({ asking }) => asking)),
  making: median(times.map(({ making }) => making)),
})

export const sumOf = ({ asking, making }: Times): number => asking + making
