import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../src/command/option-table.js'
import { CATCH_OPTIONS } from '../src/command/settings.js'
import { suggestion } from '../src/errors.js'
import { startCatcher } from '../src/index.js'
import { BIN, finish, temporaryFolder } from './launch.js'

const folder = temporaryFolder()
let files = 0
/** A file of rules that holds this. */
function rulesFile(content: unknown): string {
  const file = `${folder}/rules-${++files}.json`
  writeFileSync(file, JSON.stringify(content))
  return file
}

it.each([
  ['two letters apart', 'stat', ': did you mean status?'],
  ['three letters apart', 'sta', ''],
  ['three letters apart, a third of the word', 'statusxyz', ': did you mean status?'],
])('a word that is %s, %s', (_, word, expected) => {
  expect(suggestion(word, ['status'])).toBe(expected)
})

describe('wrong use is told in a sentence, with exit code 2', () => {
  it.each<[string[], string]>([
    [['--prot', '80'], 'unknown option --prot: did you mean --port?'],
    [['--no-prety'], 'unknown option --no-prety: did you mean --no-pretty?'],
    [['--no-port'], 'unknown option --no-port'],
    [['--max-bodywxyz', '1'], 'unknown option --max-bodywxyz: did you mean --max-body?'],
    [['-z'], 'unknown option -z'],
    [['npm', 'test'], "'npm' is not an option; a command goes after '--'"],
    [['-q', 'npm'], "'npm' is not an option; a command goes after '--'"],
    [['helpp'], "there is no 'helpp': did you mean help?"],
    [['chek', '--help'], "there is no 'chek': did you mean check?"],
    [['--port', '70000'], "--port: '70000' is not a whole number from 0 to 65535"],
    [['--port'], '--port needs a value: <n>'],
    [['--pretty=maybe'], "--pretty: 'maybe' is not true or false"],
    [['--status', '99'], "--status: '99' is not a status from 200 to 599"],
    [['--header', 'nothing'], "--header: 'nothing' is not a header: write it like 'X-Name: value'"],
    [['--header', 'X: a\r\nY: b'], '--header: Invalid character in header content ["X"]'],
    [['--header', 'X-A\r: a'], '--header: Header name must be a valid HTTP token'],
    [['--header', 'Bad Name: x'], '--header: Header name must be a valid HTTP token ["Bad Name"]'],
    [
      ['--header', 'Content-Length: 3'],
      '--header: Content-Length follows from the answer and cannot be set',
    ],
    [['--body', '@/nowhere'], '--body: the body cannot be read: ENOENT'],
    [['--delay', '300'], "--delay: '300' is not a time: write it like 300ms or 2s"],
    [
      ['--max-body', '10MB'],
      "--max-body: '10MB' is not a size up to 2GiB: write it like 500, 64KiB or 10MiB",
    ],
    [
      ['--rule', 'POST /pay -> 503'],
      "--rule: 'POST /pay -> 503' has no '=>': write it like 'POST /pay => 503 x2'",
    ],
    [['--rule', '/a => 999'], "'999' is not a status from 200 to 599"],
    [['--rule', '/a => fault=explode'], "'explode' is not a fault: reset, close, hang, truncate"],
    [['--rule', '/a => dely=2s'], "a rule has no 'dely': did you mean 'delay'?"],
    [['--rule', '/a => 500 rate=200%'], "'200%' is not a rate: write it like 10% or 0.1"],
    [['--rule', '/a => body="x'], 'the quotes of body= do not close'],
    [['--rule', '/a => 500 404'], 'two values are for status'],
    [['--rule', '/a => 500 status=404'], 'two values are for status'],
    [['--rule', '/a => times=2 x3'], 'two values are for times'],
    [['--rule', '/a => path=/b'], 'two values are for path'],
    [
      ['--rule', '/a?x=1 => 500'],
      "'/a?x=1' is not a path: write it like '/pay' or '/hooks/*', without a query",
    ],
    [['--rule', '/a jsn.type=x => 500'], "'/a jsn.type=x ' is not [METHOD] /path"],
    [['--rule', '/a => 204 body=x'], 'an answer with status 204 has no body'],
    [['--status', '204', '--body', 'x'], 'an answer with status 204 has no body'],
    [['--no-answer', '--body', 'x'], '--no-answer and --body contradict each other'],
    [
      ['--rules', rulesFile([1])],
      `--rules: the rules in ${folder}/rules-1.json cannot be read: entry 1: a rule takes an object, not 1`,
    ],
    [
      ['--rules', rulesFile([{}, null])],
      'rules-2.json cannot be read: entry 2: a rule takes an object, not null',
    ],
    [
      ['--rules', rulesFile([{ path: '/a' }, { path: 'x' }])],
      "rules-3.json cannot be read: entry 2: path: 'x' is not a path: write it like '/pay' or '/hooks/*'",
    ],
    [['--rules', rulesFile({})], 'cannot be read: {} is not a list'],
    [['--filter', 'foo'], "--filter: method: 'FOO' is not a method of HTTP"],
    [['--filter', 'PSOT /pay'], "'PSOT' is not a method of HTTP: did you mean POST?"],
    [['--rule', 'PSOT /pay => 503'], "'PSOT' is not a method of HTTP: did you mean POST?"],
    [
      ['--rules', rulesFile([{ method: 'GTE' }])],
      "'GTE' is not a method of HTTP: did you mean GET?",
    ],
    [['--filter', 'POST pay'], "--filter: 'POST pay' is not [METHOD] /path"],
    [['--filter', '/a/*/b'], "--filter: '/a/*/b' is not [METHOD] /path"],
    [
      ['--forward', 'localhost:3000'],
      "--forward: 'localhost:3000' is not a URL: write it like http://localhost:3000",
    ],
    [['--json', '--quiet'], 'leave out --json or --quiet: the output has one form'],
    [['--https', '--cert', BIN, '--key', BIN], '--https makes a certificate and --cert has one'],
    [['--cert', BIN], '--cert and --key belong together'],
    ...[['--body', 'x'], ['--status', '202'], ['--header', 'X-A: 1'], ['--no-answer']].map(
      (flags): [string[], string] => [
        ['--forward', 'http://127.0.0.1:1', ...flags],
        '--forward gives the sender the reply of the target: leave out --status, --header',
      ],
    ),
    [
      ['--cert', '/nowhere', '--key', '/nowhere'],
      'the certificate or its key cannot be read: ENOENT',
    ],
    [['--'], "there is no command after '--'"],
  ])('%j', async (args, expected) => {
    const { code, talk } = await finish(args)
    expect(talk.startsWith('local-catcher: ')).toBe(true)
    expect(talk).toContain(expected)
    expect(talk).not.toMatch(/^ {4}at /m)
    expect(code).toBe(2)
  })
})

describe('a number is taken at its limits, and refused beyond them', () => {
  const reads = (...words: readonly string[]) => {
    try {
      parseCommandLine(CATCH_OPTIONS, words, {})
      return true
    } catch {
      return false
    }
  }
  it.each<[flag: string, taken: readonly string[], refused: readonly string[]]>([
    ['--port', ['0', '65535'], ['65536', '-1']],
    ['--status', ['200', '599'], ['199', '600']],
    ['--count', ['0', '1000000000'], ['1000000001', '1.5']],
    ['--delay', ['0ms', '2147483647ms', '596h'], ['2147483648ms', '597h']],
    ['--timeout', ['0.5s', '35791m'], ['35792m', 'Infinity']],
    ['--max-body', ['0', '2GiB', '2147483648'], ['2147483649', '2.1GiB']],
    ['--rule', ['* => x1', '* => x1000000000'], ['* => x0', '* => x1000000001']],
    ['--rule', ['* => rate=0%', '* => rate=100%', '* => rate=1'], ['* => rate=1.1']],
  ])('%s', (flag, taken, refused) => {
    expect(taken.filter((value) => !reads(`${flag}=${value}`))).toEqual([])
    expect(refused.filter((value) => reads(`${flag}=${value}`))).toEqual([])
  })

  it('of the library', async () => {
    const keeps = (keep: number) =>
      startCatcher({ keep }).then(
        (catcher) => catcher.close(),
        () => false,
      )
    expect([await keeps(0), await keeps(1e9), await keeps(1e9 + 1)]).toEqual([true, true, false])
  })
})
