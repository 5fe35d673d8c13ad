/**
 * The work of each reader of a text that clients send grows no faster than the text, whatever it repeats. Readers of masks
 * have their cases in test/postgres/to-char.test.ts.
 */

import { parse as parseCookies } from 'hono/utils/cookie'
import { describe, expect, it, vi } from 'vitest'
import { commonName } from '../../../worker/access/certificates.ts'
import { planRoot } from '../../../worker/answer/ask.ts'
import { fieldsOfFilter } from '../../../worker/console/hook-filter.ts'
import { hookFieldsOf, hookInputOf } from '../../../worker/console/hook-form.ts'
import { lastLook } from '../../../worker/console/looked.ts'
import { readPreferences } from '../../../worker/console/preferences.ts'
import { resumeSession } from '../../../worker/console/session.ts'
import { formOf } from '../../../worker/http/accept.ts'
import { boundaryOf } from '../../../worker/http/admin/multipart.ts'
import { CURRENT_REVISION, readMcpMessage } from '../../../worker/http/mcp/protocol.ts'
import { completionRead } from '../../../worker/insight/assist/completion.ts'
import { positionOf } from '../../../worker/insight/cursor.ts'
import { nodeGroupOf } from '../../../worker/insight/nodes/node-group.ts'
import { parseAge } from '../../../worker/insight/scope.ts'
import { commitIn, holdsTime } from '../../../worker/lib/code-version.ts'
import { matchesGlob } from '../../../worker/lib/glob.ts'
import { readIpAddress } from '../../../worker/lib/ip-address.ts'
import { jsonText, parseJson } from '../../../worker/lib/lossless.ts'
import { suggestion } from '../../../worker/lib/nearest.ts'
import { prettyJson } from '../../../worker/lib/pretty.ts'
import { parseTimestamp } from '../../../worker/lib/time.ts'
import { asVisible } from '../../../worker/lib/unseen.ts'
import { rulesFor } from '../../../worker/http/guard.ts'
import { readSettings } from '../../../worker/schema/settings.ts'
import { inOriginForm } from '../../../worker/local/host/front.ts'
import { decodeMessagePack } from '../../../worker/msgpack/decode.ts'
import { matcher, readPattern } from '../../../worker/postgres/regex/regex.ts'
import { parseRootQuery } from '../../../worker/query/root.ts'
import { errorLineOf } from '../../../worker/report/failure/error-line.ts'
import { reasonOf } from '../../../worker/report/reason.ts'
import { parseTime } from '../../../worker/report/time.ts'
import { compileSelect } from '../../../worker/sql/select.ts'
import { parseYaml } from '../../../worker/yaml/parse.ts'
import { growth, LINEAR } from '../../growth.ts'

vi.setConfig({ testTimeout: 120_000 })

const CLOSED = rulesFor(readSettings({ ACCESS: 'closed' }))

/** What a hostile text repeats. */
const PIECES = [
  ...[
    ' ',
    '\t',
    '\n',
    '\r\n',
    'a',
    'A',
    '0',
    '1',
    '9',
    '.',
    '-',
    '_',
    ':',
    ';',
    ',',
    '/',
    '\\',
    '|',
    '*',
    '?',
    '+',
    '^',
    '$',
  ],
  ...[
    '(',
    ')',
    '()',
    '[',
    ']',
    '[]',
    '{',
    '}',
    '{}',
    '"',
    "'",
    '""',
    "''",
    '<',
    '=',
    '%',
    '&',
    '@',
    '#',
    '!',
    '~',
    '\u{1f642}',
  ],
  ...[
    'a ',
    'a,',
    'a.',
    '1.',
    '1-',
    'a: ',
    '- ',
    '? ',
    '&a ',
    '*a ',
    '!!a ',
    '"a" ',
    "'a' ",
    '(a',
    'a)',
    '[a',
    'a|',
    '(a|',
    '[[a',
    '{"a":',
  ],
  ...[
    'Error: ',
    'File[',
    'File[a]',
    'Class[',
    '/Stage[main]',
    ' on node ',
    ' at ',
    ' (file: ',
    'line: 1, ',
    '0x0',
    'ab12',
    '2026-03-01T',
  ],
  ...[
    'and ',
    'not ',
    '! ',
    'a=1 and ',
    'a in ',
    'group by ',
    'order by ',
    'CN=',
    'q=0.1,',
    'text/csv;',
    '\u200b',
    '\\u0041',
    '\\"',
  ],
] as const

/** Each reader, the longest text that it is sent, and what stands around the part that repeats. */
interface Reader {
  readonly read: (text: string) => unknown
  readonly most: number
  readonly around?: readonly (readonly [before: string, after: string])[]
}

const select = (query: string): unknown => {
  const plan = planRoot(parseRootQuery(query), null)
  return plan.kind === 'nothing' ? null : compileSelect(plan, new Map())
}
const CONTEXT = { certname: 'web-1.example.com', resource: { type: 'File', title: '/etc/motd' } }

/** A request of MCP whose headers are compared with its body. */
const OF_MCP = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: { _meta: { 'io.modelcontextprotocol/protocolVersion': CURRENT_REVISION } },
})

const READERS: Readonly<Record<string, Reader>> = {
  'a query': {
    read: select,
    most: 8_000,
    around: [
      ['', ''],
      ['nodes { ', ' }'],
      ['nodes { certname = "', '" }'],
      ['nodes { certname ~ "', '" }'],
      ['nodes[', '] {}'],
      ['["=","certname","', '"]'],
      ['["from","nodes",', ']'],
    ],
  },
  'a query to complete': {
    read: (text) => completionRead({ now: 0 } as never, { query: text, at: text.length }),
    most: 32_000,
    around: [
      ['', ''],
      ['', ' '],
      ['nodes { certname = "', ''],
      ["nodes { certname = '", ''],
    ],
  },
  'conditions of a query': {
    read: (text) =>
      select(`nodes { certname in [${text.replace(/[^a,]/g, '').replace(/a/g, '"a"')}"a"] }`),
    most: 32_000,
  },
  'a regular expression': { read: (text) => readPattern(text), most: 16_000 },
  'a text matched by an expression': {
    read: (text) => matcher(readPattern('(a|aa)+b|.*x.*y|[0-9 ]+$'))(text),
    most: 8_000,
  },
  'a YAML body': {
    read: (text) => parseYaml(text),
    most: 32_000,
    around: [
      ['', ''],
      ['a: ', ''],
      ['a: "', '"'],
      ['a: |\n  ', '\n'],
    ],
  },
  'a JSON body': {
    read: (text) => jsonText(parseJson(text)),
    most: 32_000,
    around: [
      ['', ''],
      ['{"a":"', '"}'],
      ['[', ']'],
      ['[', '1]'],
    ],
  },
  'a MessagePack body': {
    read: (text) => decodeMessagePack(Buffer.from(text, 'latin1')),
    most: 32_000,
    around: [
      ['\u00dd\u0000\u0000\u007d\u0000', ''],
      ['\u00db\u0000\u0000\u007d\u0000', ''],
    ],
  },
  'a body of MCP': {
    read: (text) => readMcpMessage(text, new Headers()),
    most: 32_000,
    around: [
      ['', ''],
      ['{"jsonrpc":"2.0","method":"', '"}'],
    ],
  },
  'a header of MCP': {
    read: (text) => readMcpMessage(OF_MCP, new Headers({ 'MCP-Protocol-Version': text })),
    most: 32_000,
    around: [
      ['', ''],
      ['=?base64?', '?='],
    ],
  },
  'the form of a hook': {
    read: (text) => hookInputOf(hookFieldsOf(new URLSearchParams(text), null)),
    most: 32_000,
    around: [
      ['', ''],
      ['transition=failed&nodes=', ''],
      ['transition=failed&filter=', ''],
    ],
  },
  'the cookies of a request': {
    read: (text) => [parseCookies(text), lastLook(text, 0)],
    most: 32_000,
    around: [
      ['', ''],
      ['console_looked=', ''],
    ],
  },
  'the cookie of a session': {
    read: (text) => resumeSession('key', CLOSED, text, 0),
    most: 32_000,
    around: [
      ['', ''],
      ['a.', `.${'a'.repeat(43)}`],
    ],
  },
  'the boundary of a multipart body': {
    read: (text) => boundaryOf(text),
    most: 32_000,
    around: [
      ['multipart/form-data', ''],
      ['multipart/form-data; boundary=', ''],
      ['multipart/form-data; boundary="', ''],
    ],
  },
  'JSON laid out': { read: (text) => prettyJson(JSON.stringify([text])), most: 32_000 },
  'a failure message': {
    read: (text) => reasonOf(text, CONTEXT as never),
    most: 32_000,
    around: [
      ['', ''],
      ['Could not find ', ''],
      ['Error: ', ' at x:1'],
    ],
  },
  'a line of a log': {
    read: (text) => errorLineOf(text),
    most: 32_000,
    around: [
      ['', ''],
      ['Could not retrieve catalog: ', ' on node web-1'],
    ],
  },
  'a code version': { read: (text) => [commitIn(text), holdsTime(text)], most: 32_000 },
  'a time': {
    read: (text) => [parseTimestamp(text), parseTime(text), parseAge(text)],
    most: 32_000,
  },
  'a certname': { read: (text) => nodeGroupOf({ nodeGroup: /^[^\d]+/u }, text), most: 32_000 },
  'a name that a glob tests': { read: (text) => matchesGlob('a*b*c*', text), most: 32_000 },
  'a glob': { read: (text) => matchesGlob(text, 'a'.repeat(64)), most: 1000 },
  'a misspelled name': {
    read: (text) => suggestion(text, ['certname', 'status', 'environment']),
    most: 32_000,
  },
  'an address': { read: (text) => readIpAddress(text), most: 32_000 },
  'a cursor': { read: (text) => positionOf(text, [0, '']), most: 32_000 },
  Accept: { read: (text) => formOf(text), most: 32_000 },
  'a head of a request': {
    read: (text) => inOriginForm({ url: text, rawHeaders: [text, text], httpVersionMajor: 1 }),
    most: 32_000,
    around: [
      ['', ''],
      ['http://', ''],
      ['http://a', '/'],
    ],
  },
  'a name of a client certificate': {
    read: (text) => commonName(text),
    most: 32_000,
    around: [
      ['', ''],
      ['CN=', ''],
    ],
  },
  'the preferences of the console': { read: (text) => readPreferences(text), most: 32_000 },
  'the filter of a hook': {
    read: (text) => fieldsOfFilter(text),
    most: 32_000,
    around: [
      ['', ''],
      ['certname ~ "', '"'],
    ],
  },
  'a text with unseen characters': { read: (text) => asVisible(text), most: 32_000 },
}

/** Refusing a text is also work; what is refused is tested elsewhere. */
function tried(read: () => unknown): void {
  try {
    read()
  } catch {
    // Refused.
  }
}

describe('the work grows no faster than the text of', () => {
  it.each(Object.entries(READERS))('%s', (_, { read, most, around = [['', '']] }) => {
    const found = around.flatMap(([before, after]) =>
      PIECES.flatMap((piece) => {
        const work = (length: number): void =>
          tried(() => read(before + piece.repeat(Math.ceil(length / piece.length)) + after))
        if (growth(work, most) < LINEAR) return []
        // A collection that fell into all rounds doesn't do so twice.
        const again = growth(work, most)
        return again < LINEAR ? [] : [[before, piece, after, again]]
      }),
    )
    expect(found).toEqual([])
  })
})
