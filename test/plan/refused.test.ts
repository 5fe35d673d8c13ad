/** What the planner refuses, and its sentence: the name that was wrong, and the nearest right one. `…` stands for a list of fields. */

import { expect, it } from 'vitest'
import { planRoot } from '../../worker/answer/ask.ts'
import { parseRootQuery } from '../../worker/query/root.ts'

function refusalOf(text: string): string {
  try {
    planRoot(parseRootQuery(text), null)
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing was refused'
}

/** Columns with masks of 1,000 characters each. */
const masks = (count: number): string =>
  Array.from({ length: count }, () => `to_string(end_time, "${'Y'.repeat(1000)}")`).join(', ')

it.each<[query: string, refusal: string]>([
  [
    'reports { stauts = "failed" }',
    "'stauts' is not a queryable object for reports. … Did you mean 'status'?",
  ],
  [
    'reports[stauts] {}',
    "Can't extract unknown 'reports' field 'stauts'. … Did you mean 'status'?",
  ],
  [
    'reports { order by stauts }',
    "Unrecognized column 'stauts' specified in :order_by; … Did you mean 'status'?",
  ],
  [
    'nodes { status = "failed" }',
    "'status' is not a queryable object for nodes. … Did you mean 'cached_catalog_status' or 'latest_report_status'?",
  ],
  ['reports { logs = "x" }', "'logs' is not a queryable object for reports. …"],
  [
    'reports { certname in reports[latest_report?] { } }',
    "Can't extract unknown 'reports' field 'latest_report?'. …",
  ],
  ['reports { noop = "maybe" }', 'Argument "maybe" is incompatible with boolean field "noop".'],
  [
    '["from", "reports", [">", "noop", true]]',
    'Query operators >,>=,<,<= are not allowed on field noop',
  ],
  ['reports { end_time = "yesterday" }', "'yesterday' is not a valid timestamp value"],
  [
    'reports { report_format = "five" }',
    'Argument "five" is incompatible with numeric field "report_format".',
  ],
  ['reports { end_time ~ "2026" }', 'Query operator ~ is not allowed on timestamp field end_time'],
  ['reports { certname ~ "(" }', 'ERROR: invalid regular expression: parentheses () not balanced'],
  [
    '["from", "reports", ["extract", [["function", "cuont"]]]]',
    "'cuont' is not a valid function. Did you mean 'count'?",
  ],
  [
    '["from", "reports", ["extract", [["function", "to_string", "end_time", 5]]]]',
    'Arguments of function to_string must be strings',
  ],
  [
    'reports[to_string(end_time, "YYYY", "x")] {}',
    'wrong number of arguments (3) provided for function to_string',
  ],
  ['reports[max()] {}', 'wrong number of arguments (0) provided for function max'],
  [
    '["from", "reports", ["extract", [["function", "count", "certname", "hash"]]]]',
    'wrong number of arguments (2) provided for function count',
  ],
  ['reports[avg(certname)] {}', "Function avg can't be of string field 'certname'"],
  [
    'reports[certname, count()] {}',
    "Column 'certname' must appear in 'group_by' or be used in an aggregate function",
  ],
  [
    'reports { certname ~ "a{9999}" }',
    'ERROR: invalid regular expression: invalid repetition count(s)',
  ],
  [
    'reports[count()] { group by stauts }',
    "Can't extract unknown 'reports' field 'stauts'. … Did you mean 'status'?",
  ],
  [
    `reports[to_string(end_time, "${'Y'.repeat(1001)}")] {}`,
    'The mask of to_string has 1001 characters; at most 1000 are allowed',
  ],
  [`reports[to_string(end_time, "${'Y'.repeat(1000)}")] {}`, 'nothing was refused'],
  [
    `reports[${masks(10)}, to_string(end_time, "Y")] {}`,
    'The masks of to_string have 10001 characters together; a query may have 10000.',
  ],
  [
    `reports[${masks(5)}] { certname in reports[to_string(end_time, "Y")] { ! certname in reports[certname] { group by ${masks(5)} } } }`,
    'The masks of to_string have 10001 characters together; a query may have 10000.',
  ],
  [`reports[${masks(10)}] {}`, 'nothing was refused'],
  [
    'reports { certname in nodes[certname, expired] {} }',
    "'in' compares 1 field with 2 of its subquery",
  ],
  [
    'reports { certname in events[timestamp] {} }',
    "'in' can't compare string field certname with timestamp field timestamp",
  ],
  [
    'nodes { hash in reports[hash] {} }',
    "Can't match on unknown 'nodes' field 'hash' for 'in'. … Did you mean 'latest_report_hash'?",
  ],
  [
    '["from", "reports", ["subquery", "nobody", ["=", "certname", "a"]]]',
    "Invalid entity 'nobody' in query.",
  ],
])('%s', (query, refusal) => {
  const [start = '', end = ''] = refusal.split('…')
  const message = refusalOf(query)
  expect([message.slice(0, start.length), message.slice(message.length - end.length)]).toEqual([
    start,
    end,
  ])
})
