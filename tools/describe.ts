/** `npm run describe`: writes what is made of the tables: docs/reference.md, and the schemas of insights' answers for /openapi.json. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { INSIGHT_ANSWERS, insightAnswers } from './describe/insight-answers.ts'
import { REFERENCE, referenceText } from './describe/reference.ts'

const root = process.cwd()
await writeFile(join(root, INSIGHT_ANSWERS), `${JSON.stringify(insightAnswers(root), null, 1)}\n`)
await writeFile(join(root, REFERENCE), await referenceText())
process.stdout.write(`${INSIGHT_ANSWERS} and ${REFERENCE} were written.\n`)
