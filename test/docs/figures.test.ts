/** One number in one place: a figure in the pages for users is one of its source, or a fact of Cloudflare that is listed here. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MOST_YAML_BYTES } from '../../worker/http/commands/submit-report.ts'
import { SETTINGS } from '../../worker/schema/settings.ts'
import { ROOT, USER_PAGES } from './markdown.ts'

/** Measured figures and prices for users. The laboratory's page has all of them, with machines and commands. */
const SOURCES = ['price', 'figures', 'how-large'].map((name) => `docs/explanation/${name}.md`)
const LABORATORY = readFileSync(join(ROOT, 'bench/figures.md'), 'utf8')

const textOf = (file: string): string => USER_PAGES.find((page) => page.file === file)!.prose

/** A number with a unit, as `647 bytes`, `$8.36` or `0.9 times`. */
const FIGURE =
  /\$\d[\d.,]*\d|\$\d|\b\d[\d.,]* (?:ms|MB|GB|KB|MiB|KiB|bytes|rows|cents|dollars)\b|\b\d[\d.,]* times (?:as|faster|slower)/g

const NUMBER = /\d[\d.,]*\d|\d/g

const MEBIBYTE = 1024 * 1024

const COPY_TABLE = readFileSync(join(ROOT, 'worker/history/copy-table.ts'), 'utf8')
const LOG_BOUND = readFileSync(join(ROOT, 'worker/local/log-bound.ts'), 'utf8')

/** Figures of the code. */
const OF_THE_CODE: Readonly<Record<string, boolean>> = {
  '32 MB': LOG_BOUND.includes('SOUGHT_BYTES = 32 * 1024 * 1024'),
  '256 MB': LOG_BOUND.includes('FORCED_BYTES = 256 * 1024 * 1024'),
  '16 MB': COPY_TABLE.includes('MOST_BYTES_OF_FILE = 16_000_000'),
  '8 MiB': SETTINGS.MAX_COMMAND_BYTES.initially === 8 * MEBIBYTE,
  '14 MB': MOST_YAML_BYTES === 14 * MEBIBYTE,
}

/** Limits and amounts of others, who document them. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  '100 MB': 'a request to a Worker, on the free and the pro plan',
  '5 KB': 'a secret of a Worker',
  '10 ms': 'CPU of a request on the free plan',
  '500 MB': 'a D1 database on the free plan',
  '10 GB': 'a D1 database on the paid plan',
  '128 MB': 'an isolate',
  '100,000 rows': 'written a day on the free plan',
  '100,000 bytes': 'of SQL in a statement of D1',
  '2 MB': 'a value of D1',
}

/** Approximate ones, as good as said: each with what it is derived from. */
const ROUNDED: Readonly<Record<string, readonly [source: string, figure: string]>> = {
  $8: ['docs/explanation/price.md', '**8.43**'],
}

const isKnown = (figure: string): boolean =>
  OF_THE_CODE[figure] === true ||
  figure in OF_OTHERS ||
  figure in ROUNDED ||
  SOURCES.some((file) => textOf(file).includes(figure))

describe('a figure', () => {
  const found = USER_PAGES.filter(
    ({ file }) => !SOURCES.includes(file) && !/docs\/reference\/(?!console)/.test(file),
  ).flatMap(({ file, prose }) =>
    [...prose.replaceAll(/\s+/g, ' ').matchAll(FIGURE)].map(([figure]) => ({ file, figure })),
  )

  it('is found', () => expect(found.length).toBeGreaterThan(15))

  it('in the prose is one of its source', () => {
    const strangers = found.filter(({ figure }) => !isKnown(figure))
    expect(strangers.map(({ file, figure }) => `${file}: ${figure}`)).toEqual([])
  })

  it('listed here is in a page', () => {
    const listed = [OF_THE_CODE, OF_OTHERS, ROUNDED].flatMap((table) => Object.keys(table))
    expect(listed.filter((figure) => !found.some((one) => one.figure === figure))).toEqual([])
  })

  it('of the code is as the code has it', () => {
    expect(Object.keys(OF_THE_CODE).filter((figure) => !OF_THE_CODE[figure])).toEqual([])
  })

  it('that is rounded has its source', () => {
    for (const [file, figure] of Object.values(ROUNDED))
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(figure)
  })
})

describe.each(SOURCES)('%s', (file) => {
  const known = new Set(LABORATORY.match(NUMBER))
  const lines = textOf(file).split('\n')

  it('has the numbers of the laboratory in its tables', () => {
    const cells = lines
      .filter((line) => line.startsWith('| ') && !/^\| -/.test(line))
      .flatMap((line) => line.split('|').slice(2))
    const numbers = cells.flatMap((cell) => cell.match(NUMBER) ?? [])
    expect(numbers.length).toBeGreaterThan(20)
    expect(numbers.filter((number) => !known.has(number))).toEqual([])
  })

  it('has the figures of the laboratory in its prose', () => {
    const prose = lines.filter((line) => !line.startsWith('|')).join(' ')
    const figures = [...prose.matchAll(FIGURE)].map(([figure]) => figure)
    expect(figures.length).toBeGreaterThan(2)
    const strangers = figures.filter(
      (figure) => !(figure in OF_OTHERS) && figure.match(NUMBER)!.some((one) => !known.has(one)),
    )
    expect(strangers).toEqual([])
  })
})
