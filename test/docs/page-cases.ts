/** Every query and curl command of the pages, against a running service. */

import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { HOUR } from '../../worker/lib/time.ts'
import { sampleFleet } from '../../tools/fleet/sample-fleet.ts'
import { rowsOf, tokenOf, type FleetService } from './fleet-service.ts'
import { BLOCKS, COMMANDS, ROOT } from './markdown.ts'

const QUERIES = BLOCKS.filter(({ info }) => /^(pql|json)( empty)?$/.test(info))
const CURL = COMMANDS.filter(
  ({ command }) => command.startsWith('curl') && command.includes('127.0.0.1'),
)

export function pageCases(service: () => FleetService): void {
  describe('a query', () => {
    it('stands in the pages', () => expect(QUERIES.length).toBeGreaterThan(30))

    it.each(QUERIES.map(({ text, info, file, line }) => [text.trim(), `${file}:${line}`, info]))(
      '%s (%s)',
      async (text, _, info) => {
        const query = text.replace(/\{(\d+) hours ago\}/g, (__, hours: string) =>
          new Date(Date.now() - Number(hours) * HOUR).toISOString(),
        )
        const rows = await rowsOf(service(), query)
        if (info.endsWith('empty')) expect(rows).toEqual([])
        else expect(rows.length).toBeGreaterThan(0)
      },
    )
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
    const causes = await fetch(`${service().url}/insight/v1/causes?since=30d`, {
      headers: { 'x-authentication': tokenOf('admin') },
    })
    const { items } = await causes.json<{ readonly items: readonly { cause: string }[] }>()
    const { cause } = items[0]!
    try {
      for (const { command: written, where } of CURL) {
        const line = written
          .replace(/^curl/, 'curl -sS --fail-with-body -u any:TOKEN')
          .replaceAll('TOKEN', tokenOf('admin'))
          .replaceAll('CAUSE', cause)
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
