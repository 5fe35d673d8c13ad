/** Reads the commands that clients post to /cmd/v1, in either of two forms. */

import { createHash } from 'node:crypto'
import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { isRecord, parseJson } from '../lib/lossless.ts'

/** What the service does with a command. `node columns` sets environment and time of the node's catalog or facts. */
export type Fate = 'store' | 'deactivate' | 'node columns' | 'not kept'

interface Known {
  /** The oldest supported version; PuppetDB answers older ones with 400. */
  readonly oldest: number
  /** The newest supported version; null where any newer version is accepted, as in PuppetDB. */
  readonly newest: number | null
  readonly fate: Fate
}

/** Every command of PuppetDB, sorted by name. PuppetDB accepts `store report` from version 5 only; this service still converts older formats. */
export const COMMANDS = {
  'configure expiration': { oldest: 1, newest: null, fate: 'not kept' },
  'deactivate node': { oldest: 3, newest: null, fate: 'deactivate' },
  'replace catalog': { oldest: 6, newest: null, fate: 'node columns' },
  'replace catalog inputs': { oldest: 1, newest: null, fate: 'not kept' },
  'replace facts': { oldest: 4, newest: null, fate: 'node columns' },
  'store report': { oldest: 3, newest: 8, fate: 'store' },
} as const satisfies Record<string, Known>

export type CommandName = keyof typeof COMMANDS

export interface Command {
  readonly name: CommandName
  readonly version: number
  /** The node that the request names. The stored certname is the payload's. */
  readonly certname: string
  readonly fate: Fate
  /** Parsed without loss (lossless.ts); null for a command that is not stored, whose body is never read. */
  readonly payload: Json
  /** The client waits for the command to be processed (secondsToWaitForCompletion). */
  readonly waits: boolean
  readonly warnings: readonly string[]
}

const PARAMETERS: ReadonlySet<string> = new Set([
  'certname',
  'checksum',
  'command',
  'producer-timestamp',
  'secondsToWaitForCompletion',
  'version',
])
/** The keys that PuppetDB takes in an envelope. */
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([
  'certname',
  'checksum',
  'command',
  'payload',
  'version',
])
const OLD_FORM = 'Command was submitted without query parameters (old format).'
const WHOLE_NUMBER = /^[+-]?\d{1,9}$/

/**
 * Reads a command. With `command` among the query parameters the body is the payload; without it the body is an envelope
 * of command, version and payload. Throws CommandError with PuppetDB's sentences, and the same first one as PuppetDB.
 */
export function readCommand(
  parameters: Iterable<readonly [string, string]>,
  body: string,
): Command {
  const query = new Map(parameters)
  return query.has('command') ? readModern(query, body) : readEnvelope(query, body)
}

function readModern(query: ReadonlyMap<string, string>, body: string): Command {
  const command = withSpaces(query.get('command') ?? '')
  const certname = query.get('certname') ?? null
  const unknown = [...query.keys()].filter((key) => !PARAMETERS.has(key))
  if (certname === null) throw refusal(command, certname, MISSING_CERTNAME)
  if (unknown.length > 0) {
    throw refusal(command, certname, `Command has invalid parameters: ${unknown.join(', ')}.`)
  }
  const { name, version } = checkedHead(command, query.get('version') ?? '', certname)
  const { fate } = COMMANDS[name]
  return {
    name,
    version,
    certname,
    fate,
    payload: fate === 'not kept' ? null : parseBody(command, certname, body),
    waits: query.has('secondsToWaitForCompletion'),
    warnings: checksumWarnings(query.get('checksum'), name, version, certname, body),
  }
}

function readEnvelope(query: ReadonlyMap<string, string>, body: string): Command {
  const envelope = parsedOrUndefined(body)
  const { command, version, payload: sent } = isRecord(envelope) ? envelope : {}
  const given = typeof command === 'string' ? withSpaces(command) : null
  if (given === null || version === undefined || sent === undefined) {
    const needed =
      'The request body must be a JSON map with required keys: command, version, payload.'
    throw refusal(given, null, `${OLD_FORM} ${needed}`)
  }
  // Clients as old as Puppet 3 sent the payload as a string of JSON.
  const payload = typeof sent === 'string' ? parsedOrUndefined(sent) : sent
  if (!isRecord(payload)) {
    throw refusal(given, null, `${OLD_FORM} The payload value must be a JSON map.`)
  }
  const certname = payload['certname']
  if (typeof certname !== 'string') throw refusal(given, null, MISSING_CERTNAME)
  const unknown = Object.keys(envelope as object).filter((key) => !ENVELOPE_KEYS.has(key))
  if (unknown.length > 0) {
    throw refusal(given, certname, `Command has invalid parameters: ${unknown.join(', ')}.`)
  }
  const { name, version: number } = checkedHead(given, String(version), certname)
  const { fate } = COMMANDS[name]
  return {
    name,
    version: number,
    certname,
    fate,
    payload: fate === 'not kept' ? null : payload,
    waits: query.has('secondsToWaitForCompletion'),
    warnings: checksumWarnings(query.get('checksum'), name, number, certname, body),
  }
}

const MISSING_CERTNAME = 'Command is missing required parameters: certname.'

function checkedHead(
  command: string,
  versionText: string,
  certname: string,
): { name: CommandName; version: number } {
  const refuse = (cause: string) => refusal(command, certname, cause)
  if (certname === '') throw refuse('Certname must be a non-empty string.')
  if (!isCommandName(command)) {
    throw refuse(`Command must be one of: ${Object.keys(COMMANDS).join(', ')}.`)
  }
  if (!WHOLE_NUMBER.test(versionText)) throw refuse('Version must be a valid integer.')
  const version = Number(versionText)
  const { oldest, newest }: Known = COMMANDS[command]
  if (version < oldest) {
    throw refuse(
      `Version ${version} of command "${command}" is retired. The minimum supported version is ${oldest}.`,
    )
  }
  if (newest !== null && version > newest) {
    throw refuse(
      `Version ${version} of command "${command}" is not known yet. The newest supported version is ${newest}.`,
    )
  }
  return { name: command, version }
}

function refusal(command: string | null, certname: string | null, cause: string): CommandError {
  const shown = (value: string | null) => (value === null ? 'nil' : JSON.stringify(value))
  return new CommandError(
    `Command ${shown(command)} for certname ${shown(certname)} is invalid. ${cause}`,
  )
}

function isCommandName(command: string): command is CommandName {
  return Object.hasOwn(COMMANDS, command)
}

function withSpaces(command: string): string {
  return command.replaceAll('_', ' ')
}

function parseBody(command: string, certname: string, body: string): Json {
  try {
    return parseJson(body)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const reason = body === '' ? 'it is empty' : error.message
    throw refusal(command, certname, `The request body must be JSON: ${reason}.`)
  }
}

function parsedOrUndefined(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

// PuppetDB ignores the checksum, and clients compute it differently: over the body, or over the whole command.
function checksumWarnings(
  checksum: string | undefined,
  name: CommandName,
  version: number,
  certname: string,
  body: string,
): string[] {
  if (checksum === undefined) return []
  const whole = () =>
    `{"command":"${name}","version":${version},"certname":${JSON.stringify(certname)},"payload":${body}}`
  const given = checksum.toLowerCase()
  if (given === sha1(whole()) || given === sha1(body)) return []
  return ["the checksum doesn't match the command, which was accepted anyway"]
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
