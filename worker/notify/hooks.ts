/** Creates, changes, previews and tests hooks, for the API and the console. */

import {
  previewOccurrences,
  readOccurrences,
  type OccurrencePreview,
} from '../insight/transitions.ts'
import { NotFound, QueryError } from '../lib/errors.ts'
import {
  HOOK_FORMATS,
  HOOK_FORMAT_NAMES,
  type HookFormat,
  type HookFormatName,
} from '../schema/hook-formats.ts'
import {
  asChoice,
  asCount,
  readValue,
  asRequiredChoice,
  type ValueReader,
} from '../schema/readers.ts'
import { TRANSITION_NAMES, type Rule } from '../schema/transitions.ts'
import type { HookNetworks } from '../schema/hook-hosts.ts'
import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { addDelivery } from '../store/deliveries.ts'
import { changeHook, readHooks, reasonOfCause, saveHook, type Hook } from '../store/hooks.ts'
import { claimedUntil, deliverNow } from './deliver.ts'
import { renderedAs } from './formats.ts'
import { incidentSentence } from './incident-sentence.ts'
import { messageOf, notificationOf, testContent, type HookFacts } from './message.ts'
import type { MessageContent } from './message-content.ts'
import { newSecret } from './sign.ts'
import { hookReachOf, targetOf, type HookReach } from './target.ts'

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/
const LONGEST_FILTER = 10_000
export const MOST_HOURS_OF_SILENCE = 24 * 30
const DEFAULT_HOURS = 4
/** Every one costs a query every few minutes. */
const MOST_HOOKS = 20

/** The fields of a hook as a client sent them. */
export type HookInput = Readonly<Record<string, unknown>>

/** Where the service runs, and where its messages may go. */
export interface ServicePlace {
  readonly origin: string
  readonly reach: HookReach
}

export const placeOf = (
  url: URL | string,
  settings: Settings,
  networks: HookNetworks | null,
): ServicePlace => ({ origin: new URL(url).origin, reach: hookReachOf(settings, networks) })

/** A field of a hook is wrong; the form shows the sentence at that field. */
export class HookError extends QueryError {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message)
  }
}

/** Names the field that a check was about. */
async function atField<Value>(field: string, check: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof QueryError) throw new HookError(field, error.message)
    throw error
  }
}

const TRANSITION = asRequiredChoice('The event that the hook is about.', TRANSITION_NAMES)
const HOURS = asCount('Hours without a report after which a node is silent.', DEFAULT_HOURS, {
  least: 1,
  most: MOST_HOURS_OF_SILENCE,
})
const FORMAT = asChoice('The format of the messages.', 'webhook', HOOK_FORMAT_NAMES)

/** Reads a field, which JSON may hold as a number. @throws HookError */
function fieldOf<Value>(field: string, reader: ValueReader<Value>, sent: unknown): Value {
  try {
    return readValue(field, reader, String(sent ?? ''))
  } catch (error) {
    if (error instanceof QueryError) throw new HookError(field, error.message)
    throw error
  }
}

/** The rule of a hook. @throws HookError */
export function ruleOf({ transition, hours, filter, cause }: HookInput): Rule {
  const name = fieldOf('transition', TRANSITION, transition)
  const silence = fieldOf('hours', HOURS, hours)
  const condition = textOf(filter)
  if (condition.length > LONGEST_FILTER)
    throw new HookError('filter', `A filter may have at most ${LONGEST_FILTER} characters.`)
  const reason = textOf(cause)
  if (reason !== '' && name !== 'failed')
    throw new HookError('cause', "Only the transition 'failed' can have a cause.")
  return { transition: name, hours: silence, filter: condition, cause: reason }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/** The format of a hook's messages; signed JSON without one. @throws HookError */
export const formatOf = (format: unknown): HookFormatName => fieldOf('format', FORMAT, format)

/** The checked parts of a hook. */
type Checked = Rule & Pick<Hook, 'format' | 'url'>

/** Checks everything that a client can set but the name. @throws HookError */
async function checked(
  database: Database,
  input: HookInput,
  { reach }: ServicePlace,
  now: number,
): Promise<Checked> {
  const rule = ruleOf(input)
  const format = formatOf(input['format'])
  const {
    url: { href: url, hostname },
    isMail,
  } = await atField('url', () => targetOf(String(input['url'] ?? ''), reach))
  if (isMail !== (format === 'email'))
    throw new HookError(
      'format',
      isMail
        ? `mailto: takes the format "email" only, not "${format}".`
        : 'The format "email" is for mailto: addresses only.',
    )
  const needed = HOOK_FORMAT_NAMES.find((name) =>
    (HOOK_FORMATS[name] as HookFormat).only?.test(hostname),
  )
  if (needed !== undefined && needed !== format)
    throw new HookError('format', `${hostname} takes the format "${needed}" only, not "${format}".`)
  if (rule.cause !== '' && (await reasonOfCause(database, rule.cause)) === null)
    throw new HookError('cause', `There is no cause "${rule.cause}".`)
  // A filter that can't be queried is refused now, and not at the hook's first run.
  await atField('filter', () => readOccurrences(database, rule, { since: now, until: now }, 1))
  return { ...rule, format, url }
}

/**
 * Creates a hook, which notifies about everything that arrives from now on.
 *
 * @param place for links to the console, and for the check of the address
 * @returns the secret that signs its messages; it can't be read again
 * @throws HookError
 */
export async function createHook(
  database: Database,
  input: HookInput,
  place: ServicePlace,
  now: number,
): Promise<{ readonly name: string; readonly secret: string }> {
  const name = String(input['name'])
  if (!NAME.test(name)) {
    throw new HookError(
      'name',
      name === ''
        ? 'Enter a name.'
        : `"${name}" can't be the name of a hook: it has at most 64 lower-case letters, digits and dashes.`,
    )
  }
  const hook = await checked(database, input, place, now)
  if ((await readHooks(database)).length >= MOST_HOOKS)
    throw new QueryError(`There are ${MOST_HOOKS} hooks already, the maximum.`)
  const secret = newSecret()
  const { origin } = place
  if (!(await saveHook(database, { ...hook, name, origin, created: now }, secret)))
    throw new HookError('name', `A hook called ${name} exists. Change it, or choose another name.`)
  return { name, secret }
}

/**
 * Changes a hook: what the input does not name stays as it is, its secret too.
 *
 * @param input with `new_secret: true` for another secret
 * @returns the new secret; null where it was kept
 * @throws NotFound
 * @throws HookError
 */
export async function editHook(
  database: Database,
  name: string,
  input: HookInput,
  place: ServicePlace,
  now: number,
): Promise<{ readonly name: string; readonly secret: string | null }> {
  const { transition, hours, filter, cause, format, url } = await hookNamed(database, name)
  const kept = { transition, hours, filter, cause, format, url }
  const hook = await checked(database, { ...kept, ...input }, place, now)
  const secret = input['new_secret'] === true ? newSecret() : null
  const saved = { ...hook, name, origin: place.origin }
  if (!(await changeHook(database, saved, secret, now))) throw new NotFound('hook', name)
  return { name, secret }
}

/** What a hook would have reported, and the message about all of it. */
export interface HookPreview extends OccurrencePreview {
  /** Where nothing was found, that of the test message. */
  readonly content: MessageContent
  /** The body as it would be sent. */
  readonly message: object
}

/** Reads what a rule would have reported in the last seven days. @param now in ms */
export async function previewHook(
  database: Database,
  hook: Omit<HookFacts, 'cursor'>,
  settings: Settings,
  now: number,
  limit: number,
): Promise<HookPreview> {
  const found = await previewOccurrences(database, hook, now, limit)
  const facts = { ...hook, cursor: found.since }
  const incident = await incidentSentence(database, hook, found, settings, now)
  const content =
    found.total === 0 ? testContent(facts, now) : notificationOf(facts, now, found, now, incident)
  return { ...found, content, message: renderedAs(hook.format, content) }
}

/** @throws NotFound */
export async function hookNamed(database: Database, name: string): Promise<Hook> {
  const hook = (await readHooks(database)).find((one) => one.name === name)
  if (!hook) throw new NotFound('hook', name)
  return hook
}

/** Sends a test message. @returns the outcome. @throws NotFound */
export async function testHook(
  database: Database,
  name: string,
  place: ServicePlace,
  now: number,
): Promise<string> {
  const hook = await hookNamed(database, name)
  const message = messageOf(hook, testContent(hook, now))
  const added = addDelivery(name, message, now, null, claimedUntil(now))
  const [[delivery]] = await database.batch(added)
  return replay(database, delivery?.id, place, now)
}

/** Sends a message again under its own id. @returns the outcome. @throws NotFound */
export async function replay(
  database: Database,
  id: unknown,
  { reach }: ServicePlace,
  now: number,
): Promise<string> {
  const number = /^\d{1,15}$/.test(String(id)) ? Number(id) : -1
  const outcome = await deliverNow(database, number, now, reach)
  if (outcome === null) throw new NotFound('delivery', String(id))
  return outcome
}

/** The target as it is shown: the path of an address of the web often works like a password. */
export const shownTarget = ({ url }: Hook): string =>
  url.startsWith('mailto:') ? url : `${new URL(url).origin}/…`
