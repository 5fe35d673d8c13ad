/** Each storage encoding stands once, in worker/sql/encoding.ts, and SQL is written in lower case: no file has a copy. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../worker')

interface Copy {
  readonly name: string
  readonly pattern: RegExp
  /** Lines that have it. */
  readonly examples: readonly string[]
  /** Folders and files that have a reason to. */
  readonly except?: readonly string[]
}

/** What copies look like. Comments do not count. */
const COPIES: readonly Copy[] = [
  {
    name: 'the slots of a key',
    pattern: /(?<!-)>> ?10\b|\bSLOTS\b|\b(?:id|key|ms|latest|min\(hour\)) [*/] 1024\b/,
    examples: ['(r.id >> 10)', 'Math.floor(id / SLOTS)', 'ms * 1024'],
    except: ['schema/key.ts'],
  },
  {
    name: 'the number of an hour',
    pattern: /\bMath\.(?:floor|ceil)\([^)]*\)? \/ HOUR\)|\bhour\w* \* HOUR\b|\bcast\(floor\(/i,
    examples: ['Math.floor(time / HOUR)', 'Math.ceil((a + b) / HOUR)', 'hour * HOUR'],
    // Hours of a duration.
    except: ['lib/time.ts', 'insight/scope.ts', 'insight/transitions.ts', 'console/'],
  },
  {
    name: 'the length of an hour or a day in ms',
    pattern: /\b(?:3_?600_?000|86_?400_?000)\b/,
    examples: ['const HOUR = 3_600_000', 'floor(ms / 3600000.0)'],
    except: ['lib/time.ts'],
  },
  {
    name: 'a parameter as an integer',
    pattern: /\bcast\((?:\?|\$\{parameter).* as integer\)/i,
    examples: ['where hour = CAST(?1 AS INTEGER)', 'cast(${parameter} as integer)'],
  },
  {
    name: 'bytes as hex digits',
    pattern: /(?<![.\w])(?:un)?hex\(|Buffer\.from\(.*'hex'\)|toString\('hex'\)/,
    examples: ["text('hex(r.body)')", 'lower(hex(r.hash))', "Buffer.from(body, 'hex')"],
    // Digests of tokens are not stored in the database, and made-up fleets have random digits.
    except: ['access/tokens.ts', 'console/session.ts', 'local/'],
  },
  {
    name: 'a UUID with its dashes',
    pattern: /\bslice\(8, 12\)|\{8\}\)\(\.\{4\}|substr\(\w+, 9, 4\)/,
    examples: ['hex.slice(8, 12)', '/^(.{8})(.{4})/'],
  },
  {
    name: 'null as -1',
    pattern: /\b(?:coalesce|nullif)\([^()]*, -1\)/,
    examples: ['coalesce(r.status, -1)', 'nullif(c.${name}, -1)'],
  },
  {
    name: 'the producer timestamp of a key',
    pattern: /\bcoalesce\([^,]*producer_timestamp,/,
    examples: ['coalesce(${alias}.producer_timestamp, ${alias}.id)'],
  },
  {
    name: 'SQL in upper case',
    pattern:
      /\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|JOIN|EXISTS|RETURNING|VALUES)\b|\b(?:ORDER|GROUP) BY\b|\bIS (?:NOT )?NULL\b/,
    examples: ['`SELECT id`', "'DELETE FROM leases'", 'n.expired IS NOT NULL', 'LEFT JOIN nodes'],
    // A text of D1's errors; a pattern for SQL from elsewhere; methods of HTTP.
    except: ['store/failures.ts', 'local/workers/database.ts', 'http/', 'app.ts'],
  },
]

it.each(COPIES)('$name is recognized', ({ pattern, examples }) => {
  for (const example of examples) expect(example).toMatch(pattern)
})

/** The file with blanks in place of its comments. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '))

it('no file of the Worker has a copy of an encoding', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && file !== 'sql/encoding.ts',
  )
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((file) => {
    const lines = withoutComments(readFileSync(join(ROOT, file), 'utf8')).split('\n')
    const sought = COPIES.filter(({ except = [] }) => !except.some((path) => file.startsWith(path)))
    return lines.flatMap((line, index) =>
      sought
        .filter(({ pattern }) => pattern.test(line))
        .map(({ name }) => `${file}:${index + 1} has ${name}: ${line.trim()}`),
    )
  })
  expect(found).toEqual([])
})
