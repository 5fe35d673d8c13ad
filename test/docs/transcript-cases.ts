/** Every call of MCP in the pages, and the answer that stands behind it. For a service with nothing but the sample fleet. */

import { afterAll, expect, it } from 'vitest'
import { rowsOf, type FleetService } from './fleet-service.ts'
import { BLOCKS, type Block } from './markdown.ts'
import { shown, withoutTimes, writeAnswers } from './transcript.ts'

/** Each call with the block behind it, which has its answer. */
const CALLS = BLOCKS.flatMap((block, index) =>
  block.info === 'json call' ? [{ ...block, answer: BLOCKS[index + 1]! }] : [],
)
export function transcriptCases(service: () => FleetService): void {
  it('stands in the pages', () => expect(CALLS.length).toBeGreaterThanOrEqual(10))

  it('stands before its answer', () =>
    expect(CALLS.filter(({ answer }) => answer.info !== 'text answer')).toEqual([]))

  const answers = new Map<Block, string>()
  afterAll(() => {
    if (process.env['TRANSCRIPT'] === 'write') writeAnswers(answers)
  })

  it.each(CALLS.map((call) => [call.text.trim(), call] as const))('%s', async (text, call) => {
    let params = String(text)
    const [, certname] = /\{latest report of ([^}]+)\}/.exec(params) ?? []
    if (certname !== undefined) {
      const [node] = await rowsOf(
        service(),
        `nodes[latest_report_hash] { certname = "${certname}" }`,
      )
      params = params.replace(/\{latest report of [^}]+\}/, node!['latest_report_hash']!)
    }
    const response = await fetch(`${service().url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...service().as('reader') },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
    })
    const { result } = await response.json<{
      result: { isError?: boolean; content: [{ text: string }] }
    }>()
    const [{ text: answer }] = result.content
    expect(result.isError, answer).toBeUndefined()
    expect(answer).not.toMatch(/Nothing has such a name|No such change|0 rows in all/)
    answers.set(call.answer, shown(answer, service().url))
    if (process.env['TRANSCRIPT'] !== 'write')
      expect(withoutTimes(shown(answer, service().url))).toBe(
        withoutTimes(call.answer.text.trimEnd()),
      )
  })
}
