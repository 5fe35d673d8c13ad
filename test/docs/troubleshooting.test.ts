/** docs/how-to/troubleshooting.md covers every refusal and warning of the code, and quotes nothing that the code doesn't say. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './markdown.ts'
import { refusals } from './refusals.ts'

const page = readFileSync(join(ROOT, 'docs/how-to/troubleshooting.md'), 'utf8')
const quotedIn = (text: string): readonly string[] =>
  [...text.replaceAll(/\s+/g, ' ').matchAll(/"([A-Za-z-][^"]{5,})"/g)].map(([, quote]) => quote!)
/** What the page quotes from the service. */
const quoted = quotedIn(page)
/** Status → what the page quotes under it. */
const quotedUnder = new Map(
  [...page.matchAll(/^### (\d+)\n([^]*?)(?=^##)/gm)].map(([, status, text]) => [
    Number(status),
    quotedIn(text!),
  ]),
)

/** A sentence or a fragment of one, in which … stands for anything. */
function isPartOf(fragment: string, sentence: string): boolean {
  const pieces = fragment.split('…').map((piece) => piece.trim())
  let at = 0
  return pieces.every((piece) => {
    const found = sentence.indexOf(piece, at)
    at = found + piece.length
    return found >= 0
  })
}

const REFUSALS = refusals()

it('finds the sentences', () => {
  expect(REFUSALS.length).toBeGreaterThan(120)
  expect(quoted.length).toBeGreaterThan(80)
})

it('the page covers each', () => {
  const missing = REFUSALS.filter(
    ({ sentence }) => !quoted.some((fragment) => isPartOf(fragment, sentence)),
  )
  expect(missing.map(({ where, sentence }) => `${where}: ${sentence}`)).toEqual([])
})

it('the page covers none twice: without any of its quotes, a sentence is missing', () => {
  const covers = REFUSALS.map(({ sentence }) =>
    [...new Set(quoted)].filter((fragment) => isPartOf(fragment, sentence)),
  )
  const needed = new Set(covers.filter(({ length }) => length === 1).flat())
  expect([...new Set(covers.flat())].filter((fragment) => !needed.has(fragment))).toEqual([])
})

it('the page lists each under the status of its answer', () => {
  const known = REFUSALS.filter(({ status }) => status !== null)
  expect(known.length).toBeGreaterThan(30)
  const misplaced = known.flatMap(({ where, sentence, status }) => {
    const listed = [...quotedUnder]
      .filter(([, quotes]) => quotes.some((quote) => isPartOf(quote, sentence)))
      .map(([under]) => under)
    return listed.length === 0 || listed.includes(status!)
      ? []
      : [`${where}: ${sentence} (${status}) is listed under ${listed.join(', ')}`]
  })
  expect(misplaced).toEqual([])
})

it('the page quotes nothing that the code no longer says', () => {
  const sources = ['worker', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8').replaceAll("\\'", "'")),
  )
  const stale = quoted.filter(
    (fragment) =>
      !fragment
        .split('…')
        .map((piece) => piece.trim().replace(/\.$/, ''))
        .every((piece) => sources.some((source) => source.includes(piece))),
  )
  expect(stale).toEqual([])
})
