// What differs between a request and the recorded one, but for values that differ each time.
import type { CapturedRequest } from '../request.js'
import { placesOf } from './places.js'

/** Where two requests differ; a value is null where there is none. */
interface Difference {
  readonly place: string
  readonly expected: string | null
  readonly actual: string | null
}

/** An id that may be another one each time, but is the same wherever it was the same. */
export interface MaskedId {
  readonly place: string
  readonly expected: string
  readonly actual: string
}

/** How two requests differ. */
export type Comparison = ReturnType<typeof compare>

const DAY = 86_400_000

/** The forms that ids have. */
const ID_FORMS: readonly (string | null)[] = ['UUID', 'random id']

/** Values that are new each time, by their form; `near` says whether milliseconds are of today. */
const FORMS: Readonly<Record<string, (text: string, near: (ms: number) => boolean) => boolean>> = {
  UUID: (text) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  time: (text, near) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(text) &&
    near(Date.parse(text)),
  'HTTP date': (text, near) => / GMT$/.test(text) && near(Date.parse(text)),
  'Unix time': (text, near) =>
    /^\d{10}(\.\d+)?$|^\d{13}$/.test(text) && near(Number(text) * (text.length === 13 ? 1 : 1000)),
  'random id': (text) => /^[a-z]+_[A-Za-z\d]*\d[A-Za-z\d-]{8,}$/.test(text),
}

// Headers that carry an id or a time by what they are, whatever the form of their value.
const VOLATILE_HEADER =
  /^header (date|traceparent|tracestate|.*-(signature|hmac)(-.*)?|signature|.*-(timestamp|delivery|request-id))$/

/**
 * Compares two requests by all of their places. `masks` are places ('body.id') or the last words of
 * places ('id') whose values may differ; 'none': only they.
 */
export function compare(
  expected: CapturedRequest,
  actual: CapturedRequest,
  masks: readonly string[],
) {
  const [before, after] = [placesOf(expected), placesOf(actual)]
  const differences: Difference[] = []
  /** The places whose values differ and may, with the rule that says so. */
  const masked: string[] = []
  const ids: MaskedId[] = []
  const ruleFor = (place: string, one: string, other: string) => {
    if (masks.some((mask) => isNamed(place, mask))) return '--mask'
    if (masks.includes('none')) return null
    if (VOLATILE_HEADER.test(place)) return 'differs each time'
    const form = formOf(one, expected.time, other, actual.time)
    if (ID_FORMS.includes(form)) ids.push({ place, expected: bare(one), actual: bare(other) })
    return form
  }
  if (expected.truncated || actual.truncated) {
    // What was not kept can't be as expected.
    differences.push({ place: 'body', expected: extentOf(expected), actual: extentOf(actual) })
  }
  for (const place of new Set([...before.keys(), ...after.keys()])) {
    const [one = null, other = null] = [before.get(place), after.get(place)]
    const rule = one === null || other === null ? null : ruleFor(place, one, other)
    if (one === other) continue
    if (rule === null) differences.push({ place, expected: one, actual: other })
    else masked.push(`${place} (${rule})`)
  }
  return { differences, masked, ids }
}

/** How much of a body is there. */
const extentOf = ({ bytes, size, truncated }: CapturedRequest): string =>
  truncated ? `${bytes.length} B kept of ${size} B` : `all of ${size} B`

/** A value without its quotes. */
const bare = (text: string) => text.replace(/^"(.*)"$/s, '$1')

/** Whether a mask names a place: whole, or its last word, with any index for '[]'. */
function isNamed(place: string, mask: string): boolean {
  const general = place.replace(/\[\d+\]/g, '[]')
  const isEnd = (text: string) => text.endsWith(`.${mask}`) || text.endsWith(` ${mask}`)
  return [place, general].some((text) => text === mask || isEnd(text))
}

/** The form that both values have, each at the time of its request, or null. */
function formOf(one: string, oneTime: Date, other: string, otherTime: Date): string | null {
  const near = (time: Date) => (ms: number) => Math.abs(ms - time.getTime()) < DAY
  const kind = (text: string) => bare(text).replace(/_.*$/, '')
  const isOther = bare(one).includes('_') && kind(one) !== kind(other)
  if (isOther) return null
  const form = Object.entries(FORMS).find(
    ([, has]) => has(bare(one), near(oneTime)) && has(bare(other), near(otherTime)),
  )
  return form?.[0] ?? null
}
