/**
 * `npm run test:yaml -- [COUNT [SEED]]`: reads documents that Ruby's Psych has written, and compares what is read with
 * what Psych reads. `--record FILE` keeps the documents.
 */

import { spawn } from 'node:child_process'
import { appendFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { isRecord, parseJson } from '../../worker/lib/lossless.ts'
import { differenceIn } from './documents.ts'

const words = process.argv.slice(2)
const recordAt = words.indexOf('--record')
const file = recordAt < 0 ? undefined : words.splice(recordAt, 2)[1]
const [count = '40000', seed = String(Date.now() % 1_000_000)] = words

const ruby = spawn('ruby', ['test/yaml/psych.rb', count, seed], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
ruby.on('error', () => console.error('ruby is needed (apt-get install ruby)'))
if (file !== undefined) await writeFile(file, '')

let read = 0
let wrong = 0
for await (const line of createInterface({ input: ruby.stdout })) {
  const document = parseJson(line)
  if (!isRecord(document)) throw new Error(`no document: ${line}`)
  const difference = differenceIn(String(document['yaml']), document['json'] ?? null)
  read++
  if (difference !== null && ++wrong <= 10) console.log(`${difference}\n${line}\n`)
  if (file !== undefined) await appendFile(file, `${line}\n`)
}
console.log(`${read} documents of Psych (seed ${seed}), ${wrong} read otherwise`)
process.exitCode = wrong === 0 && read === Number(count) ? 0 : 1
