/** Runs in a process with a limited heap: processes one YAML report up to its SQL statements. The argument is the number of changed resources. */

import '../newer-node.ts'
import { app } from '../../worker/app.ts'
import { bindingOf, emptyAnswers, OPEN } from '../binding.ts'
import { yamlOf } from './report.ts'

const body = Buffer.from(await yamlOf(Number(process.argv[2]), true))
const database = bindingOf((statements) => {
  // As in D1's binding: all statements of the batch in one text.
  if (JSON.stringify(statements) === '') throw new Error('no statements')
  return Promise.resolve(emptyAnswers(statements))
})
const response = await app.fetch(
  new Request('http://127.0.0.1/reports', {
    method: 'POST',
    headers: { 'content-type': 'application/x-yaml' },
    body,
  }),
  { ...OPEN, MAX_COMMAND_BYTES: '33554432', DB: database },
)
process.stdout.write(`${response.status} ${body.length}\n`)
