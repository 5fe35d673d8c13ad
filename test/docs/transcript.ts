/** Answers of MCP as the pages show them, and what of them changes from day to day. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, type Block } from './markdown.ts'

const MOST_LINES = 12

/** The beginning of an answer, with the address that the pages use. */
export function shown(answer: string, url: string): string {
  const lines = answer.replaceAll(url, 'https://reports.example.com').trim().split('\n')
  const left = lines.length - MOST_LINES
  if (left <= 1) return lines.join('\n')
  return [...lines.slice(0, MOST_LINES), `… (${left} more lines)`].join('\n')
}

/** Times, ages, and ids and digests that depend on a time give way to a letter each. */
export const withoutTimes = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'T')
    .replaceAll(/Since (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC/g, 'Since T')
    .replaceAll(/\(\d+ \w+ ago\)/g, 'A')
    .replaceAll(/\b[0-9a-f]{40}([0-9a-f]{24})?\b/g, 'H')

/** Writes the answers into their blocks (`TRANSCRIPT=write npx vitest run --project pure test/docs/served.test.ts`). */
export function writeAnswers(answers: ReadonlyMap<Block, string>): void {
  const [first] = answers.keys()
  const path = join(ROOT, first!.file)
  const lines = readFileSync(path, 'utf8').split('\n')
  for (const [{ line, text }, answer] of [...answers].reverse()) {
    const indent = /^ */.exec(lines[line - 1]!)![0]
    const written = answer.split('\n').map((one) => (one === '' ? '' : indent + one))
    lines.splice(line, text === '' ? 0 : text.trimEnd().split('\n').length, ...written)
  }
  writeFileSync(path, lines.join('\n'))
}
