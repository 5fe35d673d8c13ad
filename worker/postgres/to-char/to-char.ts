/** PostgreSQL's `to_char` as an SQLite expression, for times and for whole numbers. */
import { sql, type SQL } from 'drizzle-orm'
import { layout, type Cell, type Shape } from './layout.ts'
import { readNumberMask } from './number.ts'
import { concatenation, sqlText, readText } from './text.ts'
import { PATTERNS, romanMonth, year, type TimePattern, type Time } from './time.ts'

/**
 * The text that PostgreSQL's `to_char` returns for a time in UTC, given in ms since 1970. Years 1 to
 * 9999, the range of SQLite's calendar; null beyond it, for a null time and, as there, for the empty
 * mask.
 *
 * Source of the rules: PostgreSQL 15, formatting.c.
 */
export function timestampText(milliseconds: SQL, mask: string): SQL {
  if (mask === '') return sql`null`
  const time: Time = (code) =>
    sql`strftime(${sql.raw(`'${code}'`)}, (${milliseconds}) / 1000.0, 'unixepoch')`
  const pieces = readParts(mask).map((part) =>
    typeof part === 'string' ? sqlText(part) : print(part, time),
  )
  return sql`iif(${time('%s')} is null, null, ${concatenation(pieces)})`
}

/** SQLite's and PostgreSQL's integers have no more digits. */
const MAX_DIGITS = 19

/**
 * The text that PostgreSQL's `to_char` returns for a whole number: `to_char(12, '999')` is ` 12`, one too
 * long is `###`.
 *
 * @throws QueryError for a mask that PostgreSQL refuses, or with one of the patterns B C EEEE L RN SP TH
 * V
 */
export function numberText(value: SQL, mask: string): SQL {
  const numberMask = readNumberMask(mask)
  const digits = sql`abs(${value})`
  const text = (shape: Shape) => concatenation(joined(layout(numberMask, shape), digits))
  const most = Math.min(numberMask.before, MAX_DIGITS)
  const cases = [-1, 1].flatMap((sign) =>
    Array.from({ length: most }, (_, index) => {
      const shape = { isNegative: sign < 0, isZero: false, digits: index + 1 }
      return sql`when ${sql.raw(String(sign * shape.digits))} then ${text(shape)}`
    }),
  )
  const zero = sql`when 0 then ${text({ isNegative: false, isZero: true, digits: 1 })}`
  const overflow = (isNegative: boolean) =>
    text({ isNegative, isZero: false, digits: numberMask.before + 1 })
  return sql`iif((${value}) is null, null, case length(${digits}) * sign(${value}) ${sql.join([zero, ...cases], sql` `)} else iif((${value}) < 0, ${overflow(true)}, ${overflow(false)}) end)`
}

/** Cells as SQL, neighbouring digits in one expression. */
function joined(cells: readonly Cell[], digits: SQL): readonly SQL[] {
  const runs: Cell[][] = []
  for (const cell of cells) {
    const run = runs.at(-1)
    if (run && typeof run[0] === typeof cell) run.push(cell)
    else runs.push([cell])
  }
  return runs.map((run) =>
    typeof run[0] === 'number'
      ? sql`substr(${digits}, ${sql.raw(`${run[0] + 1}, ${run.length}`)})`
      : sqlText(run.join('')),
  )
}

/** A pattern with its modifiers: FM or TM before, TH or th after. */
type Part = {
  readonly pattern: TimePattern
  readonly isTight: boolean
  readonly isTranslated: boolean
  readonly ordinal: 'TH' | 'th' | undefined
}

const PREFIXES = ['FM', 'fm', 'TM', 'tm'] as const
const SUFFIXES = ['TH', 'th', 'SP'] as const

/** Patterns and the text between them, in order. */
function readParts(mask: string): readonly (Part | string)[] {
  const parts: (Part | string)[] = []
  let rest = mask
  while (rest !== '') {
    const prefix = PREFIXES.find((word) => rest.startsWith(word))
    if (prefix) rest = rest.slice(prefix.length)
    const found = PATTERNS.find(([key]) => rest.startsWith(key))
    if (found) {
      rest = rest.slice(found[0].length)
      const suffix = SUFFIXES.find((word) => rest.startsWith(word))
      if (suffix) rest = rest.slice(suffix.length)
      parts.push({
        pattern: found[1],
        isTight: prefix?.toUpperCase() === 'FM',
        isTranslated: prefix?.toUpperCase() === 'TM',
        ordinal: suffix === 'SP' ? undefined : suffix,
      })
    } else if (rest !== '') {
      const [length, text] = readText(rest)
      const before = parts.at(-1)
      if (typeof before === 'string') parts[parts.length - 1] = before + text
      else parts.push(text)
      rest = rest.slice(length)
    }
  }
  return parts
}

function print({ pattern, isTight, isTranslated, ordinal }: Part, time: Time): SQL {
  switch (pattern.kind) {
    case 'number': {
      const value = pattern.value(time)
      return withOrdinal(padded(value, isTight ? 1 : pattern.width), value, ordinal)
    }
    case 'fraction': {
      const digits = sql.raw(String(pattern.digits))
      const fraction = sql`substr(substr(${time('%f')}, 4) || '000', 1, ${digits})`
      return withOrdinal(fraction, sql`cast(${fraction} as integer)`, ordinal)
    }
    case 'grouped': {
      const value = year(time)
      const grouped = sql`format('%d,%03d', ${value} / 1000, ${value} % 1000)`
      return withOrdinal(grouped, value, ordinal)
    }
    case 'name': {
      const spoken = pattern.value(time)
      const cased =
        pattern.letters === 'capital' ? spoken : sql`${sql.raw(pattern.letters)}(${spoken})`
      return isTight || isTranslated ? sql`rtrim(${cased})` : cased
    }
    case 'roman': {
      const cased = sql`${sql.raw(pattern.letters)}(${romanMonth(time)})`
      return isTight ? sql`rtrim(${cased})` : cased
    }
    case 'text':
      return sqlText(isTight ? (pattern.short ?? pattern.text) : pattern.text)
    case 'half-day':
      return sql`iif(${time('%H')} < '12', ${sqlText(pattern.morning)}, ${sqlText(pattern.evening)})`
  }
}

const padded = (value: SQL, width: number): SQL =>
  sql`format(${sql.raw(`'%0${width}d'`)}, ${value})`

/** 1st, 2nd, 3rd, 4th; and 11th, though it ends in a one. */
function withOrdinal(printed: SQL, value: SQL, ordinal: 'TH' | 'th' | undefined): SQL {
  if (!ordinal) return printed
  const letters = sql`iif((${value}) % 100 between 10 and 19, 'th', substr('thstndrdthththththth', (${value}) % 10 * 2 + 1, 2))`
  return sql`${printed} || ${ordinal === 'TH' ? sql`upper(${letters})` : letters}`
}
