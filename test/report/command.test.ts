import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../worker/lib/errors.ts'
import { type Command, readCommand } from '../../worker/report/command.ts'

/** `command=store_report&version=8` as parameters. */
const read = (query: string, body = '{}'): Command => readCommand(new URLSearchParams(query), body)

const refusal = (query: string, body?: string): string => {
  try {
    read(query, body)
  } catch (error) {
    if (error instanceof CommandError) return error.message
    throw error
  }
  return 'taken'
}

describe('the modern form', () => {
  it('takes everything but the payload from the query', () => {
    const query =
      'command=store_report&version=8&certname=a&producer-timestamp=x&secondsToWaitForCompletion=5'
    expect(read(query, '{"certname":"b"}')).toEqual({
      name: 'store report',
      version: 8,
      certname: 'a',
      fate: 'store',
      payload: { certname: 'b' },
      waits: true,
      warnings: [],
    })
  })

  it.each([
    ['store report, oldest', 'command=store_report&version=3', 'store'],
    ['store report, with blanks', 'command=store+report&version=8', 'store'],
    ['deactivate node', 'command=deactivate_node&version=3', 'deactivate'],
    ['replace catalog', 'command=replace_catalog&version=9', 'node columns'],
    ['replace facts', 'command=replace_facts&version=5', 'node columns'],
    ['replace catalog inputs', 'command=replace_catalog_inputs&version=1', 'not kept'],
    ['configure expiration', 'command=configure_expiration&version=1', 'not kept'],
    ['a version of the future', 'command=replace_facts&version=77', 'node columns'],
  ])('%s', (_name, query, fate) => {
    expect(read(`${query}&certname=a`).fate).toBe(fate)
  })

  it('does not read the body of a command whose data is not stored', () => {
    const query = 'command=configure_expiration&version=1&certname=a'
    expect(read(query, 'not JSON').payload).toBeNull()
  })

  it.each([
    [
      'no certname',
      'command=store_report&version=8',
      'Command "store report" for certname nil is invalid. Command is missing required parameters: certname.',
    ],
    [
      'an empty certname',
      'command=store_report&version=8&certname=',
      'Command "store report" for certname "" is invalid. Certname must be a non-empty string.',
    ],
    [
      'no version',
      'command=store_report&certname=x',
      'Command "store report" for certname "x" is invalid. Version must be a valid integer.',
    ],
    [
      'a version with decimals',
      'command=store_report&version=8.0&certname=a%22b',
      'Command "store report" for certname "a\\"b" is invalid. Version must be a valid integer.',
    ],
    [
      'a retired version',
      'command=store_report&version=2&certname=x',
      'Command "store report" for certname "x" is invalid. Version 2 of command "store report" is retired. The minimum supported version is 3.',
    ],
    [
      'a retired version of another command',
      'command=deactivate_node&version=2&certname=x',
      'Command "deactivate node" for certname "x" is invalid. Version 2 of command "deactivate node" is retired. The minimum supported version is 3.',
    ],
    [
      'a report of the future',
      'command=store_report&version=9&certname=x',
      'Command "store report" for certname "x" is invalid. Version 9 of command "store report" is not known yet. The newest supported version is 8.',
    ],
    [
      'an unknown command',
      'command=no_such&version=1&certname=x',
      'Command "no such" for certname "x" is invalid. Command must be one of: configure expiration, deactivate node, replace catalog, replace catalog inputs, replace facts, store report.',
    ],
    [
      "a command named as one of JavaScript's own",
      'command=constructor&version=1&certname=x',
      'Command "constructor" for certname "x" is invalid. Command must be one of: configure expiration, deactivate node, replace catalog, replace catalog inputs, replace facts, store report.',
    ],
    [
      'unknown parameters',
      'command=no_such&version=x&certname=&nope=1&b=2',
      'Command "no such" for certname "" is invalid. Command has invalid parameters: nope, b.',
    ],
  ])('refuses %s', (_name, query, message) => {
    expect(refusal(query)).toBe(message)
  })

  it.each([
    [
      'an empty body',
      '',
      /^Command "store report" for certname "x" is invalid\. The request body must be JSON: it is empty\.$/,
    ],
    ['a broken body', '{"certname":', /The request body must be JSON: .+\.$/],
  ])('refuses %s', (_name, body, message) => {
    expect(refusal('command=store_report&version=8&certname=x', body)).toMatch(message)
  })
})

describe('the old form', () => {
  const needed =
    'Command was submitted without query parameters (old format). The request body must be a JSON map with required keys: command, version, payload.'

  it.each([
    ['an object', '{"command":"store report","version":8,"payload":{"certname":"a"}}'],
    [
      'a string of JSON',
      '{"command":"store report","version":8,"payload":"{\\"certname\\":\\"a\\"}"}',
    ],
    ['a version as text', '{"command":"store_report","version":"8","payload":{"certname":"a"}}'],
  ])('takes all from the body, the payload as %s', (_name, body) => {
    expect(read('', body)).toMatchObject({
      name: 'store report',
      version: 8,
      certname: 'a',
      payload: { certname: 'a' },
    })
  })

  it.each([
    ['no JSON', 'not JSON', `Command nil for certname nil is invalid. ${needed}`],
    ['no body', '', `Command nil for certname nil is invalid. ${needed}`],
    ['a list', '[]', `Command nil for certname nil is invalid. ${needed}`],
    [
      'no payload',
      '{"command":"store report","version":8}',
      `Command "store report" for certname nil is invalid. ${needed}`,
    ],
    [
      'a payload that is none',
      '{"command":"store report","version":8,"payload":"x"}',
      'Command "store report" for certname nil is invalid. Command was submitted without query parameters (old format). The payload value must be a JSON map.',
    ],
    [
      'a payload without certname',
      '{"command":"store report","version":8,"payload":{}}',
      'Command "store report" for certname nil is invalid. Command is missing required parameters: certname.',
    ],
    [
      'an empty certname',
      '{"command":"bad","version":2.5,"payload":{"certname":""}}',
      'Command "bad" for certname "" is invalid. Certname must be a non-empty string.',
    ],
    [
      'an unknown key, before a retired version',
      '{"command":"store report","version":2,"payload":{"certname":"q"},"id":1,"received":2}',
      'Command "store report" for certname "q" is invalid. Command has invalid parameters: id, received.',
    ],
    [
      'one unknown key',
      '{"command":"store report","version":8,"payload":{"certname":"q"},"id":1}',
      'Command "store report" for certname "q" is invalid. Command has invalid parameters: id.',
    ],
    [
      'a retired version',
      '{"command":"store report","version":2,"payload":{"certname":"q"}}',
      'Command "store report" for certname "q" is invalid. Version 2 of command "store report" is retired. The minimum supported version is 3.',
    ],
  ])('refuses %s', (_name, body, message) => {
    expect(refusal('', body)).toBe(message)
  })
})

describe('the checksum', () => {
  const body = '{"certname":"é"}'
  const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')
  const warnings = (checksum: string) =>
    read(`command=store_report&version=8&certname=%C3%A9&checksum=${checksum}`, body).warnings

  it.each([
    ['of the body', sha1(body)],
    [
      'of the command, as the terminus makes it',
      sha1(`{"command":"store report","version":8,"certname":"é","payload":${body}}`),
    ],
    ['in upper case', sha1(body).toUpperCase()],
  ])('fits when %s', (_name, checksum) => {
    expect(warnings(checksum)).toEqual([])
  })

  it('that does not fit is a warning, for PuppetDB takes the command', () => {
    expect(warnings(sha1('other'))).toEqual([expect.stringContaining('checksum')])
  })
})
