/** `npm run describe`: writes what is made of the tables: docs/reference/, and the schemas of insights' answers for /openapi.json. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { INSIGHT_ANSWERS, insightAnswers } from './describe/insight-answers.ts'
import { REFERENCE, referencePages } from './describe/reference.ts'

const root = process.cwd()
await writeFile(join(root, INSIGHT_ANSWERS), `${JSON.stringify(insightAnswers(root), null, 1)}\n`)
for (const [file, text] of await referencePages(root)) await writeFile(join(root, file), text)
process.stdout.write(`${INSIGHT_ANSWERS} and the pages of ${REFERENCE} were written.\n`)
