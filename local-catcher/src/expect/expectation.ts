// `--expect`: what arrives is held against a recorded and reviewed file.
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import type { Settings } from '../command/settings.js'
import { attempt, refuse } from '../errors.js'
import { readRecords, recordLine } from '../record.js'
import type { CapturedRequest } from '../request.js'
import { safeLine } from '../show/safe-text.js'
import { count } from '../values.js'
import { compare, isKept, type Comparison, type MaskedId, type Masks } from './compare.js'

type Requests = readonly CapturedRequest[]

/** A request of the file, and the one that arrived for it, where one did. */
interface Pairing {
  readonly line: string
  readonly request: CapturedRequest
  match?: Readonly<{ actual: CapturedRequest; comparison: Comparison }>
}

/** Reads what `file` expects. Rejects with UsageError where a line of it is no record. */
export async function openExpectation(file: string, settings: Settings) {
  const { mask, update = false, count: asked } = settings
  if (!update && !existsSync(file)) {
    refuse(`${file} does not exist; --update writes it from what arrives`)
  }
  const pairings: Pairing[] = []
  if (existsSync(file)) {
    for await (const record of readRecords(file, refuse)) pairings.push(record)
  }
  if (!update && pairings.length === 0 && asked !== 0) {
    refuse(`${file} holds no request: --update writes it, --count 0 expects none`)
  }
  const arrived: CapturedRequest[] = []
  return {
    /** How many requests are expected; null where they are about to be recorded. */
    count: update ? null : pairings.length,
    /** Notes a request that arrived. */
    see: (request: CapturedRequest) => void arrived.push(request),
    /**
     * Judges what arrived: a report for people, and whether all is as expected. `failure` says why
     * the run did not end well; then, and where nothing arrived or a body was cut or withheld, no record is written.
     */
    conclude(failure: string | null): { readonly text: string; readonly isMet: boolean } {
      const isWhole = arrived.every(isKept)
      const lack = isWhole ? 'nothing arrived' : 'a body was cut or withheld'
      const reason = failure ?? (isWhole && arrived.length > 0 ? null : lack)
      const notWritten = `${file} is not written: ${reason}`
      if (update && reason !== null) return { text: notWritten, isMet: false }
      const extra = pairUp(pairings, arrived, mask)
      if (!update) return report(file, pairings, extra)
      writeRecords(file, arrived, pairings)
      const wrote = count(arrived.length, 'request')
      return { text: `wrote ${wrote} to ${file}: review the record`, isMet: true }
    },
  }
}

/** Pairs each request of the file with the one that arrived for it; gives those left over. */
function pairUp(pairings: readonly Pairing[], arrived: Requests, mask: Masks) {
  const left = new Set(arrived)
  let identities: Identities = new Map()
  // What is alike first, so that it is not taken for the nearest to another one.
  for (const most of [0, Infinity]) {
    for (const pairing of pairings) {
      if (pairing.match) continue
      for (const actual of left) {
        // A mask may make requests to different paths alike.
        if (most > 0 && !isSameTarget(pairing.request, actual)) continue
        const found = compare(pairing.request, actual, mask)
        const differences = [...found.differences, ...withIds(identities, found.ids).differences]
        const comparison = { ...found, differences }
        const { length } = differences
        if (length <= most && length < distance(pairing)) pairing.match = { actual, comparison }
        if (length === 0) break
      }
      if (!pairing.match) continue
      left.delete(pairing.match.actual)
      identities = withIds(identities, pairing.match.comparison.ids).identities
    }
  }
  return [...left]
}

/** The ids of a record with those that they are in this run: one for one, wherever they are. */
type Identities = ReadonlyMap<string, MaskedId>

/** These and the ids of another pair of requests, with those that contradict as differences. */
function withIds(known: Identities, ids: readonly MaskedId[]) {
  const identities = new Map(known)
  const differences = ids.flatMap((id) => {
    const [was, is] = [`was ${id.expected}`, `is ${id.actual}`]
    const [before, after] = [identities.get(was) ?? id, identities.get(is) ?? id]
    identities.set(was, before).set(is, after)
    const other = before.actual === id.actual ? null : `${before.actual}, as ${before.place}`
    const same = after.expected === id.expected ? null : `another id than ${after.place}`
    const expected = other ?? same
    return expected === null ? [] : [{ place: id.place, expected, actual: id.actual }]
  })
  return { differences, identities }
}

const isSameTarget = (one: CapturedRequest, other: CapturedRequest) =>
  one.method === other.method && one.path === other.path

/** How many differences there are between the two of a pair. */
const distance = ({ match }: Pairing) => match?.comparison.differences.length ?? Infinity
const isMet = (pairing: Pairing) => distance(pairing) === 0

const MOST_DIFFERENCES = 20

function report(file: string, pairings: readonly Pairing[], extra: Requests) {
  const met = pairings.filter(isMet).length
  const lines = pairings.flatMap((pairing, index) => {
    const { request, match } = pairing
    const name = `line ${index + 1}, ${request.method} ${request.path}`
    if (!match) return [`${name}: did not arrive`]
    if (isMet(pairing)) return []
    const places = match.comparison.differences.map(({ place, expected, actual }) => [
      ...(expected === null ? [] : [`  - ${place}: ${expected}`]),
      ...(actual === null ? [] : [`  + ${place}: ${actual}`]),
    ])
    const more = places.length - MOST_DIFFERENCES
    const rest = more > 0 ? [`  … ${more} more places differ`] : []
    const shown = places.slice(0, MOST_DIFFERENCES).flat()
    return [`${name}: #${match.actual.n} differs`, ...shown, ...rest]
  })
  for (const { n, method, path } of extra) lines.push(`#${n}, ${method} ${path}: was not expected`)
  const allMet = lines.length === 0
  const masked = new Set(pairings.flatMap(({ match }) => match?.comparison.masked ?? []))
  if (masked.size > 0) lines.push(`masked: ${[...masked].join(', ')}`)
  if (!allMet) lines.push('accept what arrived with --update')
  const title = `${met} of ${pairings.length} requests are as in ${file}`
  const text = [title, ...lines.map((line) => `  ${safeLine(line)}`)].join('\n')
  return { text, isMet: allMet }
}

/** Writes the record anew; requests that are as expected keep their lines, so that diffs are small. */
function writeRecords(file: string, arrived: Requests, pairings: readonly Pairing[]) {
  const kept = new Map(pairings.filter(isMet).map(({ match, line }) => [match?.actual, line]))
  const lines = arrived.map((request) => kept.get(request) ?? recordLine(request))
  attempt(`${file} cannot be written`, () => {
    writeFileSync(`${file}.new`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  })
}
