/** Random queries about a fleet, of the kinds that the tests put to the service: any entity, filter, grouping and page. */

import { hashOf, type Command } from '../test/conformance/evaluator/report.ts'
import { tablesOf } from '../test/conformance/evaluator/tables.ts'
import { Draw } from '../test/conformance/random/draw.ts'
import { questionFor, type Question } from '../test/conformance/random/questions.ts'
import type { StoreReportCommand } from '../tools/fleet/run.ts'

/** Reports from which the queries take their values. */
const SAMPLES = 200

/** The queries of the numbers 1 to `count`. */
export function randomQuestions(
  commands: Iterable<StoreReportCommand>,
  count: number,
): readonly Question[] {
  const sampled = [...commands].slice(0, SAMPLES) as unknown as Command[]
  const arrival = new Map(
    sampled.map(({ payload }) => [hashOf(payload), String(payload['producer_timestamp'])]),
  )
  const samples = tablesOf(sampled, {
    report: (hash) => arrival.get(hash)!,
    latest: () => '2026-01-01T00:00:00Z',
  })
  return Array.from({ length: count }, (_, index) =>
    questionFor({ draw: new Draw(index + 1), samples, common: false, legacy: false }),
  )
}
