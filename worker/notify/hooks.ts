/** Creates and tests hooks, for the API and the console. */

import { readOccurrences } from '../insight/transitions.ts'
import { NotFound, QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import { TRANSITION_NAMES, type Rule } from '../schema/transitions.ts'
import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { addDelivery } from '../store/deliveries.ts'
import { isCause, readHooks, saveHook, type Hook } from '../store/hooks.ts'
import { claimedUntil, deliverNow } from './deliver.ts'
import { testMessage } from './message.ts'
import { newSecret } from './sign.ts'
import { targetOf } from './target.ts'

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
  /** LOCAL_HOOKS. */
  readonly local: boolean
}

export const placeOf = (url: URL | string, { LOCAL_HOOKS }: Settings): ServicePlace => ({
  origin: new URL(url).origin,
  local: LOCAL_HOOKS === 'on',
})

/** The rule of a hook. @throws QueryError naming the wrong field */
export function ruleOf({ transition, hours, filter, cause }: HookInput): Rule {
  const name = TRANSITION_NAMES.find((one) => one === transition)
  if (name === undefined) {
    throw new QueryError(
      `transition must be one of ${TRANSITION_NAMES.join(', ')}, not "${transition}".${suggestion(String(transition), TRANSITION_NAMES)}`,
    )
  }
  const silence = hours === undefined || hours === '' ? DEFAULT_HOURS : Number(hours)
  if (!Number.isInteger(silence) || silence < 1 || silence > MOST_HOURS_OF_SILENCE)
    throw new QueryError(
      `hours must be a whole number from 1 to ${MOST_HOURS_OF_SILENCE}, not "${hours}".`,
    )
  const condition = textOf(filter)
  if (condition.length > LONGEST_FILTER)
    throw new QueryError(`A filter may have at most ${LONGEST_FILTER} characters.`)
  const reason = textOf(cause)
  if (reason !== '' && name !== 'failed')
    throw new QueryError("Only the transition 'failed' can have a cause.")
  return { transition: name, hours: silence, filter: condition, cause: reason }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/**
 * Creates a hook, which notifies about everything that arrives from now on.
 *
 * @param place for links to the console, and for the check of the address
 * @returns the secret that signs its messages; it can't be read again
 * @throws QueryError naming the wrong field
 */
export async function createHook(
  database: Database,
  input: HookInput,
  { origin, local }: ServicePlace,
  now: number,
): Promise<{ readonly name: string; readonly secret: string }> {
  const name = String(input['name'])
  if (!NAME.test(name)) {
    throw new QueryError(
      `A hook can't be called "${name}": a name has at most 64 lower-case letters, digits and dashes.`,
    )
  }
  const rule = ruleOf(input)
  const { href: url } = targetOf(String(input['url'] ?? ''), local)
  if (rule.cause !== '' && !(await isCause(database, rule.cause)))
    throw new QueryError(`There is no cause "${rule.cause}".`)
  // A filter that can't be queried is refused now, and not at the hook's first run.
  await readOccurrences(database, rule, { since: now, until: now }, 1)
  if ((await readHooks(database)).length >= MOST_HOOKS)
    throw new QueryError(`There are ${MOST_HOOKS} hooks already, which is the most.`)
  const secret = newSecret()
  if (!(await saveHook(database, { ...rule, name, url, origin, created: now }, secret)))
    throw new QueryError(`A hook called ${name} exists. Delete it first, or choose another name.`)
  return { name, secret }
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
  const message = testMessage(await hookNamed(database, name), now)
  const added = addDelivery(name, message, now, null, claimedUntil(now))
  const [[delivery]] = await database.batch(added)
  return replay(database, delivery?.id, place, now)
}

/** Sends a message again under its own id. @returns the outcome. @throws NotFound */
export async function replay(
  database: Database,
  id: unknown,
  { local }: ServicePlace,
  now: number,
): Promise<string> {
  const number = /^\d{1,15}$/.test(String(id)) ? Number(id) : -1
  const outcome = await deliverNow(database, number, now, local)
  if (outcome === null) throw new NotFound('delivery', String(id))
  return outcome
}

/** The target as it is shown: its path often works like a password. */
export const shownTarget = ({ url }: Hook): string => `${new URL(url).origin}/…`
