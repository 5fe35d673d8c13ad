/** Makes a page again and again from the answers in a file, and prints the CPU time of the first and of a later one. */

import { readFile } from 'node:fs/promises'
import '../newer-node.ts'
import { app } from '../../worker/app.ts'
import { OPEN } from '../binding.ts'
import { replaying, type Answers } from './replay.ts'

const UNTIL_WARM = 100
const COUNTED = 100

const { path, answers, text } = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as {
  readonly path: string
  readonly answers: [string, unknown][]
  /** The page, as it was made before. */
  readonly text: string
}
/** CPU time of this process so far in ms, with what V8 does beside the page. */
function spent(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let answeredAt = 0
const known: Answers = new Map(answers)
const environment = { ...OPEN, DB: replaying(known, () => void (answeredAt = spent())) }

const requestOf = (): Request =>
  new Request(`http://127.0.0.1${path}`, { headers: { accept: 'text/html' } })

async function make(): Promise<void> {
  const response = await app.fetch(requestOf(), environment)
  if (response.status >= 400) throw new Error(`${response.status} ${await response.text()}`)
  await response.body?.cancel()
}

/** The same but for the page: requests and responses are the platform's, and Node's are not workerd's. */
async function makeNothing(): Promise<void> {
  requestOf()
  await new Response(text, { headers: { 'content-type': 'text/html' } }).body?.cancel()
}

/** CPU time in ms: of asking, and of making the page of the answers. */
async function timesOf(times: number, work: () => Promise<void>) {
  let [asking, making] = [0, 0]
  for (let time = 0; time < times; time++) {
    const begun = (answeredAt = spent())
    await work()
    asking += answeredAt - begun
    making += spent() - answeredAt
  }
  return { asking: asking / times, making: making / times }
}

await makeNothing()
const cold = await timesOf(1, make)
for (let page = 0; page < UNTIL_WARM; page++) {
  await make()
  await makeNothing()
}
const warm = await timesOf(COUNTED, make)
const platform = await timesOf(COUNTED, makeNothing)
process.stdout.write(
  JSON.stringify({ cold, warm: { ...warm, making: warm.making - platform.making } }),
)
