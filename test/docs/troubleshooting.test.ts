/** docs/how-to/troubleshooting.md covers every refusal and warning of the code, and quotes nothing that the code doesn't say. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './markdown.ts'
import { refusals } from './refusals.ts'

const page = readFileSync(join(ROOT, 'docs/how-to/troubleshooting.md'), 'utf8')
/** What the page quotes from the service. */
const quoted = [...page.replaceAll(/\s+/g, ' ').matchAll(/"([A-Za-z-][^"]{5,})"/g)].map(
  ([, text]) => text!,
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

it('the page quotes nothing that the code no longer says', () => {
  const sources = readdirSync(join(ROOT, 'worker'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, 'worker', name), 'utf8').replaceAll("\\'", "'"))
  const stale = quoted.filter(
    (fragment) =>
      !fragment
        .split('…')
        .map((piece) => piece.trim().replace(/\.$/, ''))
        .every((piece) => sources.some((source) => source.includes(piece))),
  )
  expect(stale).toEqual([])
})
