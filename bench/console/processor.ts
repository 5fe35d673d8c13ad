/** Measures the Worker's own CPU time for a page, by the clock of a Node process, which uses the same engine as workerd. */

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
  /** Before the database is queried: routes, access, plan, SQL. */
  readonly asking: number
  /** From its answer to the page. */
  readonly making: number
}

export interface ProcessorTimes {
  /** The first page of an isolate. */
  readonly cold: Times
  /** A page that it has made many times. */
  readonly warm: Times
}

const run = promisify(execFile)

/** Records the database's answers for a page, then lets fresh processes make the page from them. */
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
