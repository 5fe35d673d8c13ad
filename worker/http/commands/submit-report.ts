/**
 * Reports as Puppet itself sends them: `POST /reports` by its report processor `http`, in YAML, and
 * `PUT /puppet/v3/report/<certname>` by an agent with `report_server`, in JSON, PSON or MessagePack.
 */

import type { Principal } from '../../access/principal.ts'
import { CommandError, Refused, TooMany, Unavailable } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import { parseJson } from '../../lib/lossless.ts'
import { decodeMessagePack } from '../../msgpack/decode.ts'
import type { Command } from '../../report/command.ts'
import { payloadOf, type Sender } from '../../report/transaction-report.ts'
import { hostIn, payloadOfYaml } from '../../report/transaction-yaml.ts'
import { mediaTypeOf, requireFewValues, withCommandBytes } from '../body.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { isFailure, objectResponse, statusOf, textResponse, type Status } from '../respond.ts'
import { refusingDepth } from './nesting.ts'
import { noteRefusal, writePendingRefusals } from './refusal-log.ts'
import { admitFrom } from './admit.ts'
import { carryOut, workOf, type CommandResult } from './carry-out.ts'

/** The media types of Puppet's own YAML. */
const YAML_TYPES = ['application/x-yaml', 'application/yaml', 'text/yaml', 'text/x-yaml']

/**
 * Bytes of a report in YAML at most, whatever MAX_COMMAND_BYTES allows: its text and all that is read in it must fit into
 * an isolate's 128 MB (bench:yaml: 14 MB do and 16 MB do not, where the text holds a character beyond Latin-1).
 */
export const MOST_YAML_BYTES = 14 * 1024 * 1024

const MESSAGE_PACK = 'application/x-msgpack'

/** How agents write reports, by media type. PSON is JSON that may hold bytes that aren't UTF-8. */
const READERS: Readonly<Record<string, (bytes: Uint8Array) => Json>> = {
  'application/json': (bytes) => parseReport(new TextDecoder().decode(bytes)),
  'text/pson': (bytes) => parseReport(decodedPson(bytes)),
  [MESSAGE_PACK]: decodeMessagePack,
}

/** Stores a report of Puppet's report processor `http`. The processor shows nothing of the response but its status. */
export function submitYaml(call: Call): Promise<Response> {
  const request = call.req.raw
  const { settings } = call.var
  const most = Math.min(settings.MAX_COMMAND_BYTES, MOST_YAML_BYTES)
  return answered(call, most, { accept: (answer) => answer, refuse: textResponse }, () => {
    const type = mediaTypeOf(request) ?? 'nothing'
    if (!YAML_TYPES.includes(type)) {
      throw new Refused(
        'unsupported media type',
        `A report is sent here as ${YAML_TYPES[0]}, not as ${type}.`,
      )
    }
    return (bytes, sender, isAbout) => {
      const text = new TextDecoder().decode(bytes)
      isAbout(hostIn(text))
      return payloadOfYaml(text, sender)
    }
  })
}

/** Stores a report of an agent, which prints the `message` of the response. The path names the node. */
export function submitOwn(call: Call): Promise<Response> {
  const request = call.req.raw
  const { settings } = call.var
  const certname = call.req.param('certname')
  const wording: Wording = { accept: (answer) => [answer], refuse: problemResponse }
  return answered(call, settings.MAX_COMMAND_BYTES, wording, () => {
    const type = mediaTypeOf(request) ?? 'nothing'
    const read = READERS[type]
    if (read === undefined) {
      const known = Object.keys(READERS).join(' or ')
      throw new Refused(
        'unsupported media type',
        `A report is sent here as ${known}, not as ${type}.`,
      )
    }
    return (bytes, sender) => {
      // The reader of MessagePack counts values itself.
      if (type !== MESSAGE_PACK) requireFewValues(bytes)
      const payload = payloadOf(read(bytes), sender)
      if (payload['certname'] === certname) return payload
      throw new CommandError(
        `The report is about the node '${String(payload['certname'])}', the path about '${certname}'.`,
      )
    }
  })
}

type Payload = Command['payload'] & { readonly [key: string]: Json }
type Respond = (message: string, status: Status) => Response

/** How a sender is answered. An agent reads a list in an answer, and fails where there is anything else. */
interface Wording {
  readonly accept: (answer: object) => object
  readonly refuse: Respond
}

/** Tells which node a report is about, before it is read, so that a refusal can name it. */
type NameNode = (certname: string | null) => void

/** Reads a report from the bytes of a body. */
type Read = (
  bytes: Uint8Array,
  sender: Sender,
  isAbout: NameNode,
) => { readonly [key: string]: Json }

/**
 * Stores the report that a body holds, and answers as its sender reads answers.
 *
 * @param most bytes of a body @param reading how it is read, by what its head says
 */
async function answered(
  call: Call,
  most: number,
  { accept, refuse }: Wording,
  reading: () => Read,
): Promise<Response> {
  const received = Date.now()
  const { databases, principal, settings, submissions } = call.var
  const database = databases.primary()
  let certname = call.req.param('certname') ?? null
  try {
    const isAbout = (name: string | null): void => {
      certname = name
    }
    const read = reading()
    const sender = { principal, settings, admit: admitFrom(principal, submissions) }
    const outcome = await withCommandBytes(call.req.raw, most, {
      read: (bytes) =>
        refusingDepth(() => {
          const payload = read(bytes, { producer: producerOf(principal) }, isAbout)
          certname = String(payload['certname'])
          return patiently(() => workOf(commandOf(payload), received, sender))
        }),
      store: (work) => patiently(() => carryOut(work, received, database)),
    })
    await writePendingRefusals(database)
    return objectResponse(accept(answerOf(outcome)), 'ok', costHeaders(call, database))
  } catch (error) {
    // Without Retry-After, see `patiently`.
    await noteRefusal(call, certname, error)
    if (!isFailure(error)) throw error
    return refuse(error.message, statusOf(error))
  }
}

/** The sender, which is the server that compiles for the nodes; null where a node sends its own report. */
const producerOf = ({ kind, name, restrictions }: Principal): string | null =>
  kind === 'anyone' || (kind === 'certificate' && restrictions?.certnames?.includes(name))
    ? null
    : name

const commandOf = (payload: Payload): Command => ({
  name: 'store report',
  version: 8,
  certname: String(payload['certname']),
  fate: 'store',
  payload,
  waits: false,
  warnings: [],
})

const answerOf = ({ duplicate, warnings }: CommandResult) => ({
  uuid: crypto.randomUUID(),
  ...(duplicate ? { duplicate } : {}),
  ...(warnings.length > 0 ? { warnings } : {}),
})

/** Before each further attempt, in ms. */
const WAITS_MS = [1000, 3000, 6000]

/**
 * Repeats the work while the database is busy or the node has sent too much. These senders never retry, so a refused
 * report is lost; Puppet before July 2023 (PUP-11853) even crashes on a response with Retry-After.
 */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const wait of WAITS_MS) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable || error instanceof TooMany)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
  return work()
}

/** An error as Puppet's own server words it: the agent prints the message. */
const problemResponse: Respond = (message, status) =>
  objectResponse({ message, issue_kind: 'RUNTIME_ERROR' }, status)

function parseReport(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new CommandError(`The report isn't JSON: ${error.message}.`)
  }
}

function decodedPson(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('latin1')
  }
}
