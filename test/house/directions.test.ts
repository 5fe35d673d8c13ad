/** The rules of tools/lint/house.mjs fire where they should; `npm run lint` applies them to every file. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const { MAY_IMPORT } = (await import(join(ROOT, 'tools/lint/directions.mjs'))) as {
  readonly MAY_IMPORT: Readonly<Record<string, readonly string[]>>
}

const REFUSED: readonly (readonly [file: string, text: string, message: string])[] = [
  [
    'worker/lib/time.ts',
    `import { words } from '../schema/tables.ts'\nvoid words`,
    'lib/ may import its own files.',
  ],
  [
    'worker/schema/tables.ts',
    `import { render } from '../sql/render.ts'\nvoid render`,
    'schema/ may import lib, its own files.',
  ],
  [
    'worker/query/json.ts',
    `import { ENTITIES } from '../schema/entities.ts'\nvoid ENTITIES`,
    'query/ may import lib, its own files.',
  ],
  [
    'worker/report/decode.ts',
    `import { storeReports } from '../ingest/write-report.ts'\nvoid storeReports`,
    'report/ may import yaml, schema, lib, its own files.',
  ],
  [
    'worker/plan/build.ts',
    `import { compile } from '../sql/compile.ts'\nvoid compile`,
    'plan/ may import query, postgres, schema, lib, its own files.',
  ],
  [
    'worker/postgres/regex/parser.ts',
    `import { ENTITIES } from '../../schema/entities.ts'\nvoid ENTITIES`,
    'postgres/ may import lib, its own files.',
  ],
  [
    'worker/sql/compile.ts',
    `import { Database } from '../store/database.ts'\nvoid Database`,
    'sql/ may import plan, postgres, schema, lib, its own files.',
  ],
  [
    'worker/store/answer.ts',
    `import { jsonResponse } from '../http/respond.ts'\nvoid jsonResponse`,
    'store/ may import sql, report, schema, lib, its own files.',
  ],
  [
    'worker/http/queries/answer.ts',
    `import { app } from '../../app.ts'\nvoid app`,
    'Only the routes know the application, its environment, the local runner and tools.',
  ],
  [
    'worker/http/queries/answer.ts',
    `import { html } from '../../console/html.ts'\nvoid html`,
    'http/ may import',
  ],
  [
    'worker/store/answer.ts',
    `import { Hono } from 'hono'\nvoid Hono`,
    'Only http/, console/ and the routes know Hono.',
  ],
  [
    'worker/sql/compile.ts',
    'export const ask = (binding: D1Database) => binding',
    "Only store/ and the Worker's entry know D1.",
  ],
  [
    'worker/report/decode.ts',
    'export const answer = () => new Response()',
    'Only http/ and console/ know Request and Response.',
  ],
  [
    'worker/store/answer.ts',
    'export const read = (request: Request) => request',
    'Only http/ and console/ know Request and Response.',
  ],
  [
    'worker/http/admin/check.ts',
    'export const check = (binding: D1Database) => binding',
    "Only store/ and the Worker's entry know D1.",
  ],
  [
    'worker/console/newer.ts',
    'export const answer = () => Response.json({})',
    'Only http/respond.ts makes responses.',
  ],
  [
    'worker/http/admin/check.ts',
    `import { objectResponse } from '../respond.ts'\nexport const answer = () => objectResponse({}, 409)`,
    'Only http/respond.ts knows status numbers.',
  ],
  [
    'worker/console/page.ts',
    'export const page = { status: 404 }',
    'Only http/respond.ts knows status numbers.',
  ],
  [
    'worker/insight/fleet.ts',
    `export const pages = () => import('../console/pages.ts')`,
    'insight/ may import',
  ],
  [
    'worker/lib/json.ts',
    'export default 5',
    'Exports have names; only the Worker itself is a default.',
  ],
  ...[
    "'SELECT id FROM reports'",
    '`insert or ignore into strings (kind) values (${process.env.KIND})`',
    '`${process.env.WITH} UPDATE nodes SET latest = NULL`',
    "'DELETE FROM events'",
    "'create index a on b (c)'",
  ].flatMap((text): [string, string, string][] =>
    ['worker/plan/build.ts', 'worker/http/admin/check.ts', 'worker/lib/time.ts'].map((file) => [
      file,
      `export const query = ${text}`,
      'SQL stands in the folders that read and write.',
    ]),
  ),
  [
    'worker/insight/fleet.ts',
    `import { sampleFleet } from '../../tools/fleet/sample-fleet.ts'\nvoid sampleFleet`,
    'Only the routes know the application, its environment, the local runner and tools.',
  ],
  [
    'worker/local/start.ts',
    `import { send } from '../../tools/import/send.ts'\nvoid send`,
    'local/ may import the build and the sample fleet of tools/',
  ],
  [
    'tools/openapi/document.ts',
    `import { startService } from '../../worker/local/service.ts'\nvoid startService`,
    'Descriptions and the sample fleet do not know the local runner.',
  ],
  [
    'worker/query/json.ts',
    `export * from '../schema/entities.ts'`,
    'query/ may import lib, its own files.',
  ],
  ...['/* oxlint-disable */', '// oxlint-disable-next-line', '// eslint-disable-line'].map(
    (comment): [string, string, string] => [
      'worker/query/json.ts',
      `${comment}\nexport * from '../schema/entities.ts'`,
      'No file is an exception to a rule.',
    ],
  ),
  [
    'worker/local/start.ts',
    `import { Miniflare } from 'miniflare'\nvoid Miniflare`,
    'Miniflare opens sockets that nobody guards.',
  ],
  [
    'worker/ingest/receive.ts',
    'export const isRequest = (one: unknown) => one instanceof Request',
    'Only http/ and console/ know Request and Response.',
  ],
]

const ALLOWED: readonly (readonly [file: string, text: string])[] = [
  ['worker/plan/build.ts', `import type { Query } from '../query/ast.ts'\nexport type Q = Query`],
  ['worker/store/answer.ts', `import type { Row } from './database.ts'\nexport type R = Row`],
  ['worker/http/accept.ts', `import { Hono } from 'hono'\nexport const app = new Hono()`],
  ['worker/store/answer.ts', 'export const ask = (binding: D1Database) => binding'],
  ['worker/store/answer.ts', "export const query = 'SELECT id FROM reports'"],
  ['worker/lib/time.ts', "export const sentence = 'Select a node from the list'"],
  ['worker/lib/time.ts', '// SELECT id FROM reports\nexport const number = 5'],
  ['worker/lib/json.ts', 'export const of = (one: { Response: 5 }) => one.Response'],
  ['worker/insight/fleet.ts', `export const rows = () => import('../store/database.ts')`],
]

describe('an import against the direction', () => {
  /** What the rules of the house say of each case, as if it were a file of the project; all in one run. */
  const said = new Map<string, string[]>()
  const folder = mkdtempSync(join(tmpdir(), 'directions-'))
  const pathOf = (file: string, text: string): string => {
    const index = [...REFUSED, ...ALLOWED].findIndex((one) => one[0] === file && one[1] === text)
    return file.replace(/\.ts$/, `.${index}.ts`)
  }
  beforeAll(() => {
    const rules = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')) as object
    const config = { ...rules, options: {}, jsPlugins: [join(ROOT, 'tools/lint/house.mjs')] }
    writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config))
    for (const [file, text] of [...REFUSED, ...ALLOWED]) {
      const path = join(folder, pathOf(file, text))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    const oxlint = join(ROOT, 'node_modules/.bin/oxlint')
    const { stdout } = spawnSync(oxlint, ['--format=json'], { cwd: folder, encoding: 'utf8' })
    const { diagnostics, number_of_files } = JSON.parse(stdout) as {
      readonly diagnostics: readonly { filename: string; code?: string; message: string }[]
      readonly number_of_files: number
    }
    expect(number_of_files).toBe(REFUSED.length + ALLOWED.length)
    // Without a code it is a text that can't be read.
    expect(diagnostics.filter(({ code }) => code === undefined)).toEqual([])
    for (const { filename, code, message } of diagnostics)
      if (code!.startsWith('house(')) said.set(filename, [...(said.get(filename) ?? []), message])
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(REFUSED)('is refused in %s: %s', (file, text, message) => {
    expect(said.get(pathOf(file, text))).toContainEqual(expect.stringContaining(message))
  })

  it.each(ALLOWED)('but not one along it: %s: %s', (file, text) => {
    expect(said.get(pathOf(file, text))).toBeUndefined()
  })
})

describe('the map', () => {
  it('has every folder of the Worker, besides the local runner', () => {
    const folders = readdirSync(join(ROOT, 'worker'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'local')
      .map(({ name }) => name)
    expect(Object.keys(MAY_IMPORT).sort()).toEqual(folders.sort())
  })

  it('is as docs/architecture.md draws it', () => {
    const map = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    const rows = map.matchAll(/^\| `(\w+)\/`\s*\|[^|]*\|([^|]*)\|$/gm)
    const drawn = [...rows].map(([, folder, imports]) => [folder, imports!.trim()])
    expect(Object.fromEntries(drawn)).toEqual(
      Object.fromEntries(
        Object.entries(MAY_IMPORT).map(([folder, others]) => [
          folder,
          others.length === 0 ? 'nothing of ours' : others.join(', '),
        ]),
      ),
    )
  })
})
