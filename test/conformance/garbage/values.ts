/** Values that trip parsers, databases, logs and terminals, each of them allowed in JSON. */

import type { Json } from '../../../worker/lib/json.ts'
import type { Draw } from '../random/draw.ts'

/** What ends a statement, a string, a line, a header or a log entry somewhere, or means something to somebody. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...[
    "'; drop table reports; --",
    "' or '1'='1",
    '"; delete from nodes; --',
    "''",
    '""',
    '`',
    '?1',
  ],
  ...["x' union select 1,2,3 --", "char(0)||'", '%', '_', '*', '\\', '\\u0000', '\\"', "\\'", ':a'],
  ...['\u0000', 'a\u0000b', '\u0000\u0000', '\u001b[2J\u001b[31mred', '\u0007', '\u007f', '\u0085'],
  ...['a\nb', 'a\r\nset-cookie: a=b\r\n\r\n<html>', '\n{"level":"error"}', '\u2028\u2029', '\t'],
  ...[
    '\ud800',
    '\udc00',
    'a\udfff\ud800b',
    '\u{1f600}',
    '\u{10ffff}',
    '\ufeff',
    '\ufffe',
    '\u202e',
  ],
  ...['e\u0301', '\u00e9', 'I\u0307', '\u212a', '\ufb01', '\u0130', '\u00df'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'valueOf'],
  ...[
    'null',
    'true',
    'undefined',
    'NaN',
    '-0',
    '1e400',
    '[]',
    '{}',
    '["=","certname","a"]',
    '0x10',
  ],
  ...['../../etc/passwd', '/', '//', '.', '..', 'a/b', '%00', '%2e%2e', '%', '+', '&', '#', ';'],
  ...[
    '<script>alert(1)</script>',
    '${7*7}',
    '{{7*7}}',
    '$(id)',
    '|id',
    '=1+1',
    'javascript:alert(1)',
  ],
  ...['(a+)+$', '[', '(?=a)', '^$', '', ' ', '  a  ', 'x'.repeat(5000), '\u{1f600}'.repeat(2000)],
  ...['9'.repeat(400), 'File[/etc/motd]', 'Stage[main]', '][', '2026-02-30T25:00:00Z', '~', '@'],
]

export const hostileText = (draw: Draw): string =>
  draw.chance(0.2) ? draw.pick(HOSTILE_TEXTS) + draw.pick(HOSTILE_TEXTS) : draw.pick(HOSTILE_TEXTS)

const NUMBERS: readonly number[] = [
  ...[0, 1, -1, 0.1, 1e-320, 5e-324, 1e21, 1e308, 1.7976931348623157e308, -1e308],
  ...[2147483647, 2147483648, -2147483649, 4294967296, 9007199254740991, -9007199254740991],
]

/** Any JSON value, of which `depth` says how deep it may nest. */
export function hostileValue(draw: Draw, depth = 3): Json {
  return draw.one<Json>(
    [6, () => hostileText(draw)],
    [3, () => draw.pick(NUMBERS)],
    [2, () => draw.pick([null, true, false])],
    [depth, () => Array.from({ length: draw.between(0, 4) }, () => hostileValue(draw, depth - 1))],
    [depth, () => hostileRecord(draw, depth)],
    [depth === 3 ? 0.2 : 0, () => nested(draw.pick([100, 900, 2000]))],
  )
}

const hostileRecord = (draw: Draw, depth: number): Json =>
  Object.fromEntries(
    Array.from({ length: draw.between(0, 4) }, () => [
      hostileText(draw),
      hostileValue(draw, Math.min(2, depth - 1)),
    ]),
  )

function nested(levels: number): Json {
  let value: Json = 1
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value }
  return value
}
