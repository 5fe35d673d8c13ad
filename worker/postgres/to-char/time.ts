/** The template patterns of PostgreSQL's `to_char` for times, each with the SQLite expression it stands for (formatting.c). */
import { sql, type SQL } from 'drizzle-orm'
import { sqlText } from './text.ts'

/** The time formatted by one of SQLite's strftime codes. */
export type Time = (code: string) => SQL

export type TimePattern =
  | { readonly kind: 'number'; readonly value: (time: Time) => SQL; readonly width: number }
  | { readonly kind: 'fraction'; readonly digits: number }
  | { readonly kind: 'grouped' }
  | { readonly kind: 'name'; readonly value: (time: Time) => SQL; readonly letters: Letters }
  | { readonly kind: 'roman'; readonly letters: 'upper' | 'lower' }
  | { readonly kind: 'text'; readonly text: string; readonly short?: string }
  | { readonly kind: 'half-day'; readonly morning: string; readonly evening: string }

type Letters = 'upper' | 'lower' | 'capital'

const number = (width: number, value: (time: Time) => SQL): TimePattern => ({
  kind: 'number',
  value,
  width,
})
const integer = (code: string) => (time: Time) => sql`cast(${time(code)} as integer)`
/** The year of a time. */
export const year = integer('%Y')

const modulo = (code: string, divisor: number) => (time: Time) =>
  sql`${integer(code)(time)} % ${sql.raw(String(divisor))}`

/** The cell of a table of equally wide names. */
const cell = (names: string, width: number, index: SQL) =>
  sql`substr(${sqlText(names)}, (${index}) * ${sql.raw(`${width} + 1, ${width}`)})`

const MONTHS =
  'January  February March    April    May      June     July     August   SeptemberOctober  November December '
const DAYS = 'Sunday   Monday   Tuesday  WednesdayThursday Friday   Saturday '
const ROMAN = 'I   II  III IV  V   VI  VII VIIIIX  X   XI  XII '

const month = (time: Time) => sql`${time('%m')} - 1`
/** The month of a time in Roman numerals, four characters wide. */
export const romanMonth = (time: Time) => cell(ROMAN, 4, month(time))

const weekday = (time: Time) => sql`${time('%w')}`
const wide = (names: string, index: (time: Time) => SQL) => (time: Time) =>
  cell(names, 9, index(time))
const short = (names: string, index: (time: Time) => SQL) => (time: Time) =>
  sql`substr(${cell(names, 9, index(time))}, 1, 3)`

/** Patterns that mean the same in upper and lower case. */
const NUMBERS: Readonly<Record<string, TimePattern>> = {
  HH: number(2, integer('%I')),
  HH12: number(2, integer('%I')),
  HH24: number(2, integer('%H')),
  MI: number(2, integer('%M')),
  SS: number(2, integer('%S')),
  SSSS: number(1, (time) => sql`(${time('%s')} % 86400 + 86400) % 86400`),
  SSSSS: number(1, (time) => sql`(${time('%s')} % 86400 + 86400) % 86400`),
  MS: { kind: 'fraction', digits: 3 },
  US: { kind: 'fraction', digits: 6 },
  FF1: { kind: 'fraction', digits: 1 },
  FF2: { kind: 'fraction', digits: 2 },
  FF3: { kind: 'fraction', digits: 3 },
  FF4: { kind: 'fraction', digits: 4 },
  FF5: { kind: 'fraction', digits: 5 },
  FF6: { kind: 'fraction', digits: 6 },
  'Y,YYY': { kind: 'grouped' },
  YYYY: number(4, year),
  YYY: number(3, modulo('%Y', 1000)),
  YY: number(2, modulo('%Y', 100)),
  Y: number(1, modulo('%Y', 10)),
  IYYY: number(4, integer('%G')),
  IYY: number(3, modulo('%G', 1000)),
  IY: number(2, modulo('%G', 100)),
  I: number(1, modulo('%G', 10)),
  CC: number(2, (time) => sql`(${year(time)} + 99) / 100`),
  Q: number(1, (time) => sql`(${integer('%m')(time)} + 2) / 3`),
  MM: number(2, integer('%m')),
  WW: number(2, (time) => sql`(${integer('%j')(time)} + 6) / 7`),
  W: number(1, (time) => sql`(${integer('%d')(time)} + 6) / 7`),
  IW: number(2, integer('%V')),
  DDD: number(3, integer('%j')),
  IDDD: number(3, (time) => sql`(${integer('%V')(time)} - 1) * 7 + ${integer('%u')(time)}`),
  DD: number(2, integer('%d')),
  D: number(1, (time) => sql`${integer('%w')(time)} + 1`),
  ID: number(1, integer('%u')),
  J: number(1, (time) => sql`cast(${time('%J')} + 0.5 as integer)`),
  FX: { kind: 'text', text: '' },
  TZH: { kind: 'text', text: '+00' },
  TZM: { kind: 'text', text: '00' },
  OF: { kind: 'text', text: '+00', short: '+0' },
}

const name = (letters: Letters, value: (time: Time) => SQL): TimePattern => ({
  kind: 'name',
  value,
  letters,
})
const text = (value: string): TimePattern => ({ kind: 'text', text: value })
const halfDay = (morning: string, evening: string): TimePattern => ({
  kind: 'half-day',
  morning,
  evening,
})

/** Patterns whose case sets the case of the text. */
const NAMES: Readonly<Record<string, TimePattern>> = {
  MONTH: name('upper', wide(MONTHS, month)),
  Month: name('capital', wide(MONTHS, month)),
  month: name('lower', wide(MONTHS, month)),
  MON: name('upper', short(MONTHS, month)),
  Mon: name('capital', short(MONTHS, month)),
  mon: name('lower', short(MONTHS, month)),
  DAY: name('upper', wide(DAYS, weekday)),
  Day: name('capital', wide(DAYS, weekday)),
  day: name('lower', wide(DAYS, weekday)),
  DY: name('upper', short(DAYS, weekday)),
  Dy: name('capital', short(DAYS, weekday)),
  dy: name('lower', short(DAYS, weekday)),
  RM: { kind: 'roman', letters: 'upper' },
  rm: { kind: 'roman', letters: 'lower' },
  AM: halfDay('AM', 'PM'),
  PM: halfDay('AM', 'PM'),
  am: halfDay('am', 'pm'),
  pm: halfDay('am', 'pm'),
  'A.M.': halfDay('A.M.', 'P.M.'),
  'P.M.': halfDay('A.M.', 'P.M.'),
  'a.m.': halfDay('a.m.', 'p.m.'),
  'p.m.': halfDay('a.m.', 'p.m.'),
  AD: text('AD'),
  BC: text('AD'),
  ad: text('ad'),
  bc: text('ad'),
  'A.D.': text('A.D.'),
  'B.C.': text('A.D.'),
  'a.d.': text('a.d.'),
  'b.c.': text('a.d.'),
  TZ: text('UTC'),
  tz: text('utc'),
}

/** Longest first, since the longest match counts. */
export const PATTERNS: readonly (readonly [string, TimePattern])[] = Object.entries({
  ...NUMBERS,
  ...Object.fromEntries(
    Object.entries(NUMBERS).map(([key, pattern]) => [key.toLowerCase(), pattern]),
  ),
  ...NAMES,
}).toSorted(([a], [b]) => b.length - a.length)
