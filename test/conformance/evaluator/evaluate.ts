/** The slow and obvious answer to a question: whole tables in memory, row by row. */

import type { Asked } from '../random/questions.ts'
import { answerCounts } from './counts.ts'
import { answerSelect, type Answer } from './select.ts'
import type { Tables } from './tables.ts'

export const evaluate = (asked: Asked, tables: Tables): Answer =>
  asked.kind === 'counts'
    ? answerCounts(asked, tables)
    : answerSelect(asked.entity, asked.query, asked, tables)
