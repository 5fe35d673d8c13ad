/** Makes a page repeatedly from recorded answers, and prints the CPU time of the first and of a later one. */

import { readFile } from 'node:fs/promises'
import { setTimeout as later } from 'node:timers/promises'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import '../newer-node.ts'
import { app } from '../../worker/app.ts'
import { OPEN } from '../binding.ts'
import { replaying, type Answers } from './replay.ts'

const UNTIL_WARM = 100
const COUNTED = 100
/** A pause in which Node finishes compiling the program in the background. */
const LOADED_AFTER_MS = 100

const { path, answers, text } = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as {
  readonly path: string
  readonly answers: [string, string][]
  /** The recorded page, to compare with. */
  readonly text: string
}
/** CPU time of this process so far in ms, including V8's background work. */
function spent(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let [askedAt, answeredAt] = [0, 0]
const recorded: Answers = new Map(answers)
const database = replaying(
  recorded,
  () => void (askedAt = spent()),
  () => void (answeredAt = spent()),
)
const environment = { ...OPEN, DB: database }

const requestOf = (): Request =>
  new Request(`http://127.0.0.1${path}`, { headers: { accept: 'text/html' } })

async function make(): Promise<void> {
  const response = await app.fetch(requestOf(), environment)
  if (response.status >= 400) throw new Error(`${response.status} ${await response.text()}`)
  await response.body?.cancel()
}

/** The same without the page: only the platform's requests and responses, which are slower in Node than in workerd. */
async function makeNothing(): Promise<void> {
  requestOf()
  await new Response(text, { headers: { 'content-type': 'text/html' } }).body?.cancel()
}

/**
 * Loads the other parts of the platform that a page uses: headers, URLs, a clock, ids, inflating. In workerd they are
 * ready when an isolate starts; Node loads each at its first use, and compiles an HTTP parser too.
 */
async function loadPlatform(): Promise<void> {
  const { url, headers } = requestOf()
  headers.get('accept')
  new URL(url).searchParams.set('id', crypto.randomUUID())
  const response = new Response(text, { headers: { 'content-type': 'text/html' } })
  if (!response.headers.has('vary')) response.headers.set('vary', 'Accept')
  await response.body?.cancel()
  inflateRawSync(deflateRawSync(text))
  clearTimeout(setTimeout(() => undefined, 200))
  await later(LOADED_AFTER_MS)
}

/** CPU time in ms of making the statements, and of making the page from the answers; the lookup of the answers does not count. */
async function timesOf(times: number, work: () => Promise<void>) {
  let [asking, making] = [0, 0]
  for (let time = 0; time < times; time++) {
    const begun = (askedAt = answeredAt = spent())
    await work()
    asking += askedAt - begun
    making += spent() - answeredAt
  }
  return { asking: asking / times, making: making / times }
}

await loadPlatform()
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
