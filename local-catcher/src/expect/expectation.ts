// `--expect`: what arrives is held against a recorded and reviewed file.
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { attempt, UsageError } from '../errors.js'
import { readRecords, recordLine } from '../record.js'
import type { CapturedRequest } from '../request.js'
import { safeLine } from '../show/safe-text.js'
import { compare, type Comparison, type Masking } from './compare.js'

export interface ExpectOptions extends Masking {
  readonly file: string
  /** The order of the requests is part of what is expected. */
  readonly inOrder: boolean
  /** Writes what arrived into the file instead of judging it. */
  readonly update: boolean
}

/** A request of the file with the one that arrived for it, null where none did. */
interface Pairing {
  readonly line: string
  readonly expected: CapturedRequest
  readonly actual: CapturedRequest | null
  readonly comparison: Comparison | null
}

export type Expectation = Awaited<ReturnType<typeof openExpectation>>

/** Reads what is expected. Rejects with UsageError where a line of the file is no record. */
export async function openExpectation(options: ExpectOptions) {
  const { file, update } = options
  if (!update && !existsSync(file)) {
    throw new UsageError(`${file} does not exist; --update writes it from what arrives`)
  }
  const wanted: { line: string; request: CapturedRequest }[] = []
  const refuse = (reason: string) => {
    throw new UsageError(reason)
  }
  if (existsSync(file)) {
    for await (const record of readRecords(file, refuse)) wanted.push(record)
  }
  const arrived: CapturedRequest[] = []
  return {
    /** How many requests are expected; null where they are about to be recorded. */
    count: update ? null : wanted.length,
    /** Notes a request that arrived. */
    see: (request: CapturedRequest) => void arrived.push(request),
    /** Judges what arrived: a report for people, and whether all is as expected. */
    conclude(): { readonly text: string; readonly isMet: boolean } {
      const pairings = pairUp(wanted, arrived, options)
      const extra = arrived.filter((request) => !pairings.some(({ actual }) => actual === request))
      if (!update) return report(file, pairings, extra)
      writeRecords(file, arrived, pairings)
      return { text: `wrote ${countOf(arrived)} to ${file}: review the record`, isMet: true }
    },
  }
}

/** For each request of the file the one that it stands for: in order, or the most alike. */
function pairUp(
  wanted: readonly { line: string; request: CapturedRequest }[],
  arrived: readonly CapturedRequest[],
  options: ExpectOptions,
): Pairing[] {
  const left = new Set(arrived)
  const pairings = wanted.map(({ line, request }, index): Pairing => {
    const candidates = options.inOrder ? arrived.slice(index, index + 1) : [...left]
    const same = candidates.find((each) => isAlike(compare(request, each, options)))
    if (same) left.delete(same)
    const comparison = same ? compare(request, same, options) : null
    return { line, expected: request, actual: same ?? null, comparison }
  })
  return pairings.map((pairing, index) => {
    if (pairing.actual) return pairing
    const rest = options.inOrder ? arrived.slice(index, index + 1) : [...left]
    const nearest = nearestOf(pairing.expected, rest, options)
    if (!nearest) return pairing
    left.delete(nearest.actual)
    return { ...pairing, ...nearest }
  })
}

const isAlike = ({ differences }: Comparison) => differences.length === 0

/** The request to the same path with the fewest differences. */
function nearestOf(
  expected: CapturedRequest,
  candidates: readonly CapturedRequest[],
  options: ExpectOptions,
) {
  return candidates
    .filter(({ method, path }) => method === expected.method && path === expected.path)
    .map((actual) => ({ actual, comparison: compare(expected, actual, options) }))
    .sort((a, b) => a.comparison.differences.length - b.comparison.differences.length)[0]
}

const MOST_DIFFERENCES = 20

function report(file: string, pairings: readonly Pairing[], extra: readonly CapturedRequest[]) {
  const met = pairings.filter(({ comparison }) => comparison && isAlike(comparison))
  const title = `${met.length} of ${pairings.length} requests are as in ${file}`
  const lines = pairings.flatMap(({ expected, actual, comparison }, index) => {
    const name = `line ${index + 1}, ${expected.method} ${expected.path}`
    if (!actual || !comparison) return [`${name}: did not arrive`]
    if (isAlike(comparison)) return []
    const shown = comparison.differences.slice(0, MOST_DIFFERENCES)
    const more = comparison.differences.length - shown.length
    return [
      `${name}: #${actual.n} differs`,
      ...shown.flatMap(({ place, expected, actual }) => [
        ...(expected === null ? [] : [`  - ${place}: ${expected}`]),
        ...(actual === null ? [] : [`  + ${place}: ${actual}`]),
      ]),
      ...(more > 0 ? [`  … ${more} more places differ`] : []),
    ]
  })
  for (const { n, method, path } of extra) lines.push(`#${n}, ${method} ${path}: was not expected`)
  const isMet = lines.length === 0
  const masked = new Set(pairings.flatMap(({ comparison }) => comparison?.masked ?? []))
  if (masked.size > 0) lines.push(`masked: ${[...masked].join(', ')}`)
  if (!isMet) lines.push('accept what arrived with --update')
  return { text: [title, ...lines.map((line) => `  ${safeLine(line)}`)].join('\n'), isMet }
}

/** Writes the record anew; requests that are as expected keep their lines, so that diffs are small. */
function writeRecords(
  file: string,
  arrived: readonly CapturedRequest[],
  pairings: readonly Pairing[],
) {
  const lines = arrived.map((request) => {
    const kept = pairings.find(({ actual }) => actual === request)
    return kept?.comparison && isAlike(kept.comparison) ? kept.line : recordLine(request)
  })
  attempt(`${file} cannot be written`, () => {
    writeFileSync(`${file}.new`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  })
}

const countOf = ({ length }: readonly unknown[]) => `${length} request${length === 1 ? '' : 's'}`
