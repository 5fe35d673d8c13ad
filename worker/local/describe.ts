/** `npm run describe`: writes the schemas of insights' answers, which /openapi.json contains, after their types have changed. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { INSIGHT_ANSWERS, insightAnswers } from './describe/insight-answers.ts'

const root = process.cwd()
await writeFile(join(root, INSIGHT_ANSWERS), `${JSON.stringify(insightAnswers(root), null, 1)}\n`)
process.stdout.write(`${INSIGHT_ANSWERS} is written.\n`)
