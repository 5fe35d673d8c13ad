/** `POST /admin/v1/cmd`: deleting a node, and cleaning up now instead of at the next hour. */

import { commandText } from '../../lib/command-text.ts'
import { CommandError, NotFound, Unavailable } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import { isList, isRecord } from '../../lib/lossless.ts'
import { suggestion } from '../../lib/nearest.ts'
import { requiredOf, type History } from '../../history/history.ts'
import { readReach } from '../../store/history.ts'
import type { Settings } from '../../schema/settings.ts'
import type { Database } from '../../store/database.ts'
import { deleteNode } from '../../housekeeping/delete-node.ts'
import { HOUSEKEEPING_LEASE, HOUSEKEEPING_LEASE_MS } from '../../housekeeping/housekeeping.ts'
import { withLease } from '../../store/lease.ts'
import { RETENTION_STEPS, runRetention, type RetentionStep } from '../../housekeeping/retention.ts'
import { requireFewValues, withCommandBytes } from '../body.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'

/** PuppetDB's operations on data that is not stored here; they do nothing. */
const NOTHING_TO_DO = ['gc_packages', 'gc_catalogs', 'gc_fact_paths']
const OPERATIONS: readonly string[] = [...RETENTION_STEPS, ...NOTHING_TO_DO]
const LONGEST_DELETION_MS = 25_000

const invalid = (why: string): CommandError => new CommandError(`Invalid command: ${why}`)

/** @throws CommandError for an unknown or malformed command, NotFound for an unknown node, Unavailable for a deletion that needs another request */
export async function adminCommand(call: Call): Promise<Response> {
  const { settings, databases, history } = call.var
  const { command, version, payload } = await readEnvelope(call.req.raw, settings)
  if (command !== 'clean' && command !== 'delete') {
    throw invalid(`Valid commands types are: 'clean' and 'delete', not ${JSON.stringify(command)}.`)
  }
  if (version !== 1) throw invalid(`its version must be 1, not ${JSON.stringify(version)}.`)
  const database = databases.primary()
  const done =
    command === 'clean'
      ? await clean(database, settings, history, payload)
      : { ...(await deleteNamed(database, payload)), ...(await stayingIn(database, history)) }
  return done === null
    ? objectResponse(IN_PROGRESS, 'conflict', costHeaders(call, database))
    : objectResponse(done, 'ok', costHeaders(call, database))
}

type Envelope = Readonly<Record<'command' | 'version' | 'payload', Json>>

function readEnvelope(request: Request, settings: Settings): Promise<Envelope> {
  const read = (bytes: Uint8Array): Envelope => {
    requireFewValues(bytes)
    const body = parsed(new TextDecoder().decode(bytes))
    const { command = null, version = null, payload = null } = isRecord(body) ? body : {}
    return { command, version, payload }
  }
  const store = (envelope: Envelope) => Promise.resolve(envelope)
  return withCommandBytes(request, settings.MAX_COMMAND_BYTES, { read, store })
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw invalid(`the body must be JSON: ${(error as Error).message}.`)
  }
}

/** What deleting leaves behind in the history. */
async function stayingIn(database: Database, history: History | null): Promise<object> {
  const reach = history === null ? null : await readReach(database)
  if (reach === null) return {}
  return {
    history: `The history keeps its reports from ${reach.first} to ${reach.last}, also of deleted nodes. \`${commandText('history', 'forget CERTNAME')}\` takes a node out of it.`,
  }
}

async function deleteNamed(database: Database, payload: Json): Promise<object> {
  const certname = isRecord(payload) ? payload['certname'] : undefined
  if (typeof certname !== 'string') {
    throw invalid('the payload of delete must be a map like {"certname": "web1.example.com"}.')
  }
  const until = Date.now() + LONGEST_DELETION_MS
  const { complete, reports, found } = await deleteNode(database, certname, {
    mayContinue: () => Date.now() < until,
  })
  if (!complete) {
    throw new Unavailable(
      `The node has so many reports that only ${reports} of them are deleted so far. Send the command again to go on.`,
    )
  }
  if (!found) throw new NotFound('node', certname)
  return { deleted: certname }
}

/** In PuppetDB's words. */
const IN_PROGRESS = {
  kind: 'conflict',
  msg: 'Another cleanup is already in progress',
  details: null,
}

/** The response has the steps' results beside PuppetDB's `ok`. @returns null where another run holds the lease */
async function clean(
  database: Database,
  settings: Settings,
  history: History | null,
  payload: Json,
): Promise<object | null> {
  const operations = operationsOf(payload)
  const requiredHistory = requiredOf(history)
  const done = await withLease(
    database,
    HOUSEKEEPING_LEASE,
    () => runRetention(database, settings, Date.now(), { ...operations, requiredHistory }),
    HOUSEKEEPING_LEASE_MS,
  )
  if (done === null) return null
  return {
    ok: true,
    steps: done,
    ...(done.some(({ waitsForHistory }) => waitsForHistory) && { waiting: WAITS }),
    ...(await stayingIn(database, history)),
  }
}

const WAITS =
  'Some of what has expired is left: the history does not hold it yet, and HISTORY_MODE is required. GET /insight/v1/history lists the days that it lacks.'

/** The steps that a payload names, or all, and how many nodes may be purged. */
function operationsOf(payload: Json) {
  if (!isList(payload)) throw invalid('the payload of clean must be a list of operations.')
  const names: string[] = []
  let mostNodes = Infinity
  for (const operation of payload) {
    const [name, options] = isList(operation) ? operation : [operation]
    if (typeof name !== 'string' || !OPERATIONS.includes(name)) {
      const near = typeof name === 'string' ? suggestion(name, OPERATIONS) : ''
      throw invalid(
        `the operations of clean are ${OPERATIONS.join(', ')}, not ${JSON.stringify(operation)}.${near}`,
      )
    }
    names.push(name)
    if (name === 'purge_nodes' && options !== undefined) mostNodes = batchLimitOf(options)
  }
  const steps = RETENTION_STEPS.filter((step: RetentionStep) => names.includes(step))
  return { mostNodes, ...(names.length === 0 ? {} : { steps }) }
}

function batchLimitOf(options: Json): number {
  const limit = isRecord(options) ? options['batch_limit'] : undefined
  if (!Number.isSafeInteger(limit) || Number(limit) < 0) {
    throw invalid('purge_nodes takes a map like {"batch_limit": 50}; 0 means no limit.')
  }
  return Number(limit) === 0 ? Infinity : Number(limit)
}
