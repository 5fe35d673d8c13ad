/** Names of characters in `[[.name.]]` and `[[=name=]]`, as PostgreSQL lists them (regc_locale.c). */

const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC IS4 IS3 IS2 IS1'

const SIGNS = [
  'space exclamation-mark quotation-mark number-sign dollar-sign percent-sign ampersand apostrophe',
  'left-parenthesis right-parenthesis asterisk plus-sign comma hyphen period slash',
  'zero one two three four five six seven eight nine',
  'colon semicolon less-than-sign equals-sign greater-than-sign question-mark commercial-at',
].join(' ')

const BRACKETS =
  'left-square-bracket backslash right-square-bracket circumflex underscore grave-accent'

const BRACES = 'left-brace vertical-line right-brace tilde DEL'

const SYNONYMS: ReadonlyMap<string, number> = new Map([
  ['alert', 7],
  ['backspace', 8],
  ['tab', 9],
  ['newline', 10],
  ['vertical-tab', 11],
  ['form-feed', 12],
  ['carriage-return', 13],
  ['FS', 28],
  ['GS', 29],
  ['RS', 30],
  ['US', 31],
  ['hyphen-minus', 45],
  ['full-stop', 46],
  ['solidus', 47],
  ['reverse-solidus', 92],
  ['circumflex-accent', 94],
  ['low-line', 95],
  ['left-curly-bracket', 123],
  ['right-curly-bracket', 125],
])

const numbered = (names: string, first: number): [string, number][] =>
  names.split(' ').map((name, index) => [name, first + index])

/** Name → code point. */
export const COLLATING_NAMES: ReadonlyMap<string, number> = new Map([
  ...numbered(CONTROLS, 0),
  ...numbered(SIGNS, 32),
  ...numbered(BRACKETS, 91),
  ...numbered(BRACES, 123),
  ...SYNONYMS,
])
