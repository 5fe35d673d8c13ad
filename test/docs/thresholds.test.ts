/** The numbers in docs/ are the code's. docs/reference/ is generated from the code. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BREAKAGE_REACH } from '../../worker/outcomes/breakages.ts'
import { ROLLOUT_REACH } from '../../worker/outcomes/code-versions.ts'
import { DEPLOY_RULES } from '../../worker/insight/deploys/rules.ts'
import { short } from '../../worker/lib/code-version.ts'
import { DAY } from '../../worker/lib/time.ts'
import { ROOT } from '../local/local-service.ts'

const WORDS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
const word = (count: number): string => WORDS[count] ?? String(count)

const PAGE = 'explanation/what-it-asserts.md'

it.each([
  [PAGE, `at least ${100 * DEPLOY_RULES.beganShare} % of the nodes that fail by it now`],
  [PAGE, `the last ${ROLLOUT_REACH.runs} runs of the environment`],
  [PAGE, `looks back ${word(BREAKAGE_REACH.older / DAY)} days`],
  [PAGE, `the commit's first ${word(short('a1'.repeat(20)).length)} digits`],
  [PAGE, `${word(DEPLOY_RULES.unsafeNodes)} or more nodes of a group broke`],
])('docs/%s says "%s"', (page, phrase) => {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8').replace(/\s+/g, ' ')
  expect(text).toContain(phrase)
})
