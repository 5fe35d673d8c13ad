/** Every query, curl command and MCP call of the pages, against a running service. */

import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { HOUR } from '../../worker/lib/time.ts'
import { sampleFleet } from '../../worker/local/fleet/sample-fleet.ts'
import { tokenOf, type FleetService } from './fleet-service.ts'
import { BLOCKS, COMMANDS, ROOT, type Block } from './markdown.ts'
import { shown, withoutTimes, writeAnswers } from './transcript.ts'

const QUERIES = BLOCKS.filter(({ info }) => /^(pql|json)( empty)?$/.test(info))
/** Each call with the block behind it, which has its answer. */
const CALLS = BLOCKS.flatMap((block, index) =>
  block.info === 'json call' ? [{ ...block, answer: BLOCKS[index + 1]! }] : [],
)
const CURL = COMMANDS.filter(
  ({ command }) => command.startsWith('curl') && command.includes('127.0.0.1'),
)

export function pageCases(service: () => FleetService): void {
  const get = async (query: string) => {
    const url = new URL('/pdb/query/v4', service().url)
    url.searchParams.set('query', query)
    const response = await fetch(url, { headers: service().as('reader') })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return JSON.parse(text) as Record<string, string>[]
  }

  describe('a query', () => {
    it('stands in the pages', () => expect(QUERIES.length).toBeGreaterThan(30))

    it.each(QUERIES.map(({ text, info, file, line }) => [text.trim(), `${file}:${line}`, info]))(
      '%s (%s)',
      async (text, _, info) => {
        const query = text.replace(/\{(\d+) hours ago\}/g, (__, hours: string) =>
          new Date(Date.now() - Number(hours) * HOUR).toISOString(),
        )
        const rows = await get(query)
        if (info.endsWith('empty')) expect(rows).toEqual([])
        else expect(rows.length).toBeGreaterThan(0)
      },
    )
  })

  describe('a call of MCP', () => {
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
        const [node] = await get(`nodes[latest_report_hash] { certname = "${certname}" }`)
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
  })

  it(`each of ${CURL.length} curl commands works as written`, async () => {
    expect(CURL.length).toBeGreaterThan(20)
    const folder = await mkdtemp(join(tmpdir(), 'docs-'))
    const [command] = sampleFleet(new Date())
    await writeFile(join(folder, 'report.json'), JSON.stringify(command!.payload))
    await copyFile(
      join(ROOT, 'test/fixtures/transaction-reports/failed.yaml'),
      join(folder, 'report.yaml'),
    )
    try {
      for (const { command: written, where } of CURL) {
        const line = written
          .replace(/^curl/, 'curl -sS --fail-with-body -u any:TOKEN')
          .replaceAll('TOKEN', tokenOf('admin'))
          .replaceAll('http://127.0.0.1:8787', service().url)
        const run = promisify(execFile)('bash', ['-c', line], { cwd: folder })
        const problem = await run.then(
          () => null,
          ({ stdout, stderr }: { stdout: string; stderr: string }) =>
            `${where} ${written}: ${stdout} ${stderr}`,
        )
        expect(problem).toBeNull()
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
}
