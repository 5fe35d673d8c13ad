/** Every query and curl command of the pages, against a running service. */

import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR } from '../../worker/lib/time.ts'
import type { StoreReportCommand } from '../../tools/fleet/run.ts'
import { sampleFleet } from '../../tools/fleet/sample-fleet.ts'
import { load } from '../conformance/server.ts'
import { rowsOf, tokenOf, type FleetService } from './fleet-service.ts'
import { BLOCKS, COMMANDS, PAGES, ROOT } from './markdown.ts'
import { ANSWERS, differences, readFleet } from './questions.ts'

const QUERIES = BLOCKS.filter(({ info }) => /^(pql|json)( empty)?$/.test(info))
const CURL = COMMANDS.filter(
  ({ command }) => command.startsWith('curl') && command.includes('127.0.0.1'),
)

/** What changes something, writes a file, or finds nothing in a fleet as young as the sample. */
const WITHOUT_ANSWER = / -X | -o |\/cmd|\/deliveries|\/preview|\/history\/nodes|\/hooks /

/** The node that a page deletes. */
const DELETED = 'old.example.com'

/** A query with the times that it leaves to the reader. */
const withTimes = (query: string): string =>
  query.replace(/\{(\d+) hours ago\}/g, (_, hours: string) =>
    new Date(Date.now() - Number(hours) * HOUR).toISOString(),
  )

const [, asked] = PAGES.find(({ file }) => file === 'docs/how-to/query.md')!.text.split(
  '## Twenty questions',
)
const QUESTIONS = [...asked!.split('\n## ')[0]!.matchAll(/^(.*\?)\n\n```pql.*\n([^`]*)```/gm)].map(
  ([, question, query]) => ({ question: question!, query: query!.trim() }),
)

export function pageCases(service: () => FleetService): void {
  describe('a query', () => {
    it('stands in the pages', () => expect(QUERIES.length).toBeGreaterThan(25))

    it.each(QUERIES.map(({ text, info, file, line }) => [text.trim(), `${file}:${line}`, info]))(
      '%s (%s)',
      async (text, _, info) => {
        const rows = await rowsOf(service(), withTimes(text))
        if (info.endsWith('empty')) expect(rows).toEqual([])
        else expect(rows.length).toBeGreaterThan(0)
      },
    )
  })

  describe('a question of docs/how-to/query.md', () => {
    it('has its answer here', () => {
      expect(QUESTIONS.map(({ question }) => question)).toEqual(Object.keys(ANSWERS))
    })

    it.each(QUESTIONS.map((one) => [one.question, one] as const))(
      '%s: the rows are its answer',
      async (question, { query }) => {
        const fleet = await readFleet(service())
        const expected = ANSWERS[question]!(fleet)
        const written = withTimes(query)
        const answer = await rowsOf(service(), written)
        if (question !== 'Which nodes are inactive?') expect(expected.length).toBeGreaterThan(0)
        expect(differences(answer, expected, written)).toEqual([])
      },
    )
  })

  describe('a curl command', () => {
    let folder = ''
    let cause = ''
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'docs-'))
      const [command] = sampleFleet(new Date())
      await writeFile(join(folder, 'report.json'), JSON.stringify(command!.payload))
      await copyFile(
        join(ROOT, 'test/fixtures/transaction-reports/failed.yaml'),
        join(folder, 'report.yaml'),
      )
      const causes = await fetch(`${service().url}/insight/v1/causes?since=30d`, {
        headers: { 'x-authentication': tokenOf('admin') },
      })
      const { items } = await causes.json<{ readonly items: readonly { cause: string }[] }>()
      cause = items[0]!.cause
    })
    afterAll(() => rm(folder, { recursive: true }))

    it('is in the pages', () => expect(CURL.length).toBeGreaterThan(20))

    it.each(CURL.map(({ command, where }) => [command, where]))(
      '%s (%s) works as written',
      async (written) => {
        // Only for the command that deletes it: other pages count the nodes of the sample.
        if (written.includes(DELETED)) {
          const [{ payload, ...command }] = [...sampleFleet(new Date())] as [StoreReportCommand]
          const old = { ...command, certname: DELETED, payload: { ...payload, certname: DELETED } }
          await load(`${service().url}/pdb`, [old as never], service().as('sender'))
        }
        const line = written
          .replace(/^curl/, 'curl -sS --fail-with-body -u any:TOKEN')
          .replaceAll('TOKEN', tokenOf('admin'))
          .replaceAll('CAUSE', cause)
          .replaceAll('http://127.0.0.1:8787', service().url)
        const run = promisify(execFile)('bash', ['-c', line], { cwd: folder })
        const answer = await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
          throw new Error(`${stdout} ${stderr}`)
        })
        // A question whose answer is empty shows nothing.
        if (!WITHOUT_ANSWER.test(written))
          expect(answer.stdout).not.toMatch(/^\s*\[\s*\]|"items": ?\[\s*\]/)
      },
    )
  })
}
