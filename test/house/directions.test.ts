/** The directions of the corridor hold: the rules fire where they should, and nothing breaks them. */

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ESLint, type Linter } from 'eslint'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const { MAY_IMPORT } = (await import(join(ROOT, 'eslint.config.js'))) as {
  readonly MAY_IMPORT: Readonly<Record<string, readonly string[]>>
}

const eslint = new ESLint({ cwd: ROOT })

/** What our rules say of a text, were it that file. */
async function messagesOf(text: string, path: string): Promise<string[]> {
  const results = await eslint.lintText(text, { filePath: join(ROOT, path) })
  const messages = results.flatMap((result) => result.messages)
  expect(messages.filter(({ fatal }) => fatal)).toEqual([])
  return messages.map(({ message }) => message)
}

const filesUnder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))

describe('an import against the direction is refused', () => {
  it.each<[file: string, text: string, message: string]>([
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
      'Only the routes know the application, its environment and the local runner.',
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
      'import() loads files of its own folder',
    ],
    [
      'worker/lib/json.ts',
      'export default 5',
      'Exports have names; only the Worker itself is a default.',
    ],
  ])('%s: %s', async (file, text, message) => {
    expect(await messagesOf(text, file)).toContainEqual(expect.stringContaining(message))
  })

  it.each([
    ['worker/plan/build.ts', `import type { Query } from '../query/ast.ts'\nexport type Q = Query`],
    ['worker/store/answer.ts', `import type { Row } from './database.ts'\nexport type R = Row`],
    ['worker/http/accept.ts', `import { Hono } from 'hono'\nexport const app = new Hono()`],
    ['worker/store/answer.ts', 'export const ask = (binding: D1Database) => binding'],
  ])('but not one along it: %s: %s', async (file, text) => {
    expect(await messagesOf(text, file)).toEqual([])
  })
})

describe('the tree as it is', () => {
  it('is checked by npm run lint in every file, which no file leaves', async () => {
    const files = filesUnder('worker')
    expect(files.length).toBeGreaterThan(250)
    for (const file of files) {
      expect(await eslint.isPathIgnored(join(ROOT, file))).toBe(false)
      const folder = file.split('/')[1]!
      if (!(folder in MAY_IMPORT)) continue
      const { rules } = (await eslint.calculateConfigForFile(join(ROOT, file))) as Linter.Config
      const [severity] = [rules?.['no-restricted-imports']].flat()
      expect([file, severity]).toEqual([file, 2])
    }
  })

  it('is switched off in no file', () => {
    const silenced = filesUnder('worker').filter((file) =>
      /eslint-disable[^\n]*no-restricted-/.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    expect(silenced).toEqual([])
  })

  it('is the map that docs/architecture.md draws', () => {
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

  it('has SQL in the folders that read and write only', () => {
    // The local runner keeps the list of applied migrations, as wrangler does elsewhere; it is no part of the Worker.
    // A page tells its reader what to ask the history, in a command line.
    const found = filesUnder('worker')
      .filter(
        (file) =>
          !/^worker\/(sql|store|ingest|history|housekeeping|integrity|insight|local)\//.test(file),
      )
      .flatMap((file) => sqlIn(file, readFileSync(join(ROOT, file), 'utf8')))
      .filter((text) => !text.includes('npm run history -- sql'))
    expect(found).toEqual([])
  })

  it.each([
    ["const query = 'SELECT id FROM reports'", 1],
    ['const query = `insert or ignore into strings (kind) values (${kind})`', 1],
    ["const query = 'UPDATE nodes SET latest = NULL'", 1],
    ["const query = 'DELETE FROM events'", 1],
    ["const sentence = 'Select a node from the list'", 0],
    ['// SELECT id FROM reports\nconst number = 5', 0],
  ])('where SQL is what looks like it: %s', (text, count) => {
    expect(sqlIn('some.ts', text)).toHaveLength(count)
  })
})

/** A statement's first words, all of them in upper or all in lower case. */
const STATEMENT =
  /\b(?:SELECT\s[\s\S]*\bFROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:TABLE|INDEX)|ORDER BY|GROUP BY|LEFT JOIN)\b|\b(?:select\s[\s\S]*\bfrom\s|insert\s+(?:or\s+\w+\s+)?into|update\s+\w+\s+set|delete\s+from|create\s+(?:table|index)|left join)\b/

/** The texts of a file, comments left out, that hold SQL. */
function sqlIn(file: string, source: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = node.getText()
      if (STATEMENT.test(text)) found.push(`${file}: ${text}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true))
  return found
}
