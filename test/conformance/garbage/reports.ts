/** Reports that nobody in their right mind sends: good ones whose values are hostile, and ones with something wrong. */

import type { Json } from '../../../worker/lib/json.ts'
import { LONGEST_NAME } from '../../../worker/schema/string-kinds.ts'
import { reportOf } from '../estate/report.ts'
import type { Command } from '../evaluator/report.ts'
import { Draw } from '../random/draw.ts'
import { hostileText, hostileValue } from './values.ts'

type JsonMap = Readonly<Record<string, Json>>
const isMap = (value: Json): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NOON = Date.parse('2026-03-02T12:00:00Z')

/** Keys whose values may be any text, in the report, its resources or their events. */
const TEXTS: ReadonlySet<string> = new Set(
  'puppet_version configuration_version environment producer job_id code_id cached_catalog_status status transaction_uuid catalog_uuid resource_type resource_title file property name message source level'.split(
    ' ',
  ),
)
/** Keys of log lines, whose texts are of any length. */
const LONG: ReadonlySet<string> = new Set(['message', 'source', 'level'])
/** Keys whose values may be anything. */
const VALUES: ReadonlySet<string> = new Set(['old_value', 'new_value'])
const LISTS_OF_TEXTS: ReadonlySet<string> = new Set(['containment_path', 'tags'])

/** Names with control characters are refused, as Puppet refuses them. */
const certnameOf = (seed: number, draw: Draw): string =>
  `${seed} ${hostileText(draw)}`.replaceAll(/\p{Cc}/gu, '').slice(0, 900)

/**
 * A report that must be taken and answered back as it is, whatever its values say.
 * Each seed has a certname of its own, by which it is found again.
 */
export function disguised(seed: number): Command {
  const draw = new Draw(seed)
  const certname = certnameOf(seed, draw)
  const payload = asUtf8({ ...(disguise(draw, plain(draw)) as JsonMap), certname })
  return command(payload as JsonMap)
}

// Half a character, of which UTF-8 knows none, is read as a question mark; test/worker/extremes.test.ts shows it.
function asUtf8(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return (value as Json[]).map(asUtf8)
  if (!isMap(value)) return value
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([key, held]) => [key.toWellFormed(), asUtf8(held)]))
}

function disguise(draw: Draw, value: Json, key = ''): Json {
  if (VALUES.has(key)) return hostileValue(draw, 2)
  if (TEXTS.has(key) && typeof value === 'string') {
    return draw.chance(0.5) ? fitting(key, hostileText(draw)) : value
  }
  if (LISTS_OF_TEXTS.has(key) && Array.isArray(value))
    return value.map(() => fitting(key, hostileText(draw)))
  if (Array.isArray(value)) return (value as Json[]).map((item) => disguise(draw, item))
  if (!isMap(value)) return value
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([name, held]) => [name, disguise(draw, held, name)]))
}

/** A text that is short enough for its key: a longer name is refused, as test/worker/extremes.test.ts shows. */
const fitting = (key: string, text: string): string =>
  LONG.has(key) ? text : text.slice(0, LONGEST_NAME)

/** A report with one to three of its members replaced, doubled, moved or left out. */
export function broken(seed: number): Command {
  const draw = new Draw(seed)
  const certname = certnameOf(seed, draw)
  let payload: Json = { ...plain(draw), certname }
  for (let times = draw.between(1, 3); times > 0; times--) payload = breakOne(draw, payload)
  return { ...command({}), certname, payload: payload as JsonMap }
}

function breakOne(draw: Draw, value: Json): Json {
  if (draw.chance(0.15)) return hostileValue(draw)
  if (Array.isArray(value) && value.length > 0) {
    const list = [...(value as Json[])]
    const index = draw.between(0, list.length - 1)
    return draw.one<Json>(
      [6, () => list.with(index, breakOne(draw, list[index]!))],
      [1, () => list.toSpliced(index, 1)],
      [1, () => [...list, ...list]],
    )
  }
  if (!isMap(value) || Object.keys(value).length === 0) return hostileValue(draw)
  const name = draw.pick(Object.keys(value))
  const { [name]: held, ...others } = value
  return draw.one<Json>(
    [8, () => ({ ...value, [name]: breakOne(draw, held!) })],
    [1, () => others],
    [1, () => ({ ...others, [hostileText(draw)]: held! })],
  )
}

const plain = (draw: Draw): JsonMap => ({
  ...reportOf(draw, 'nodes', NOON + draw.between(0, 1_000_000)),
  type: 'agent',
})

const command = (payload: JsonMap): Command => ({
  command: 'store report',
  version: 8,
  certname: String(payload['certname']),
  producer_timestamp: String(payload['producer_timestamp']),
  payload,
})
