/** Making hooks and trying them: what API and console do for whoever administers the service. */

import { readOccurrences } from '../insight/transitions.ts'
import { NotFound, QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import { TRANSITION_NAMES, type Rule } from '../schema/transitions.ts'
import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { addDelivery } from '../store/deliveries.ts'
import { isCause, readHooks, saveHook, type Hook } from '../store/hooks.ts'
import { deliverNow } from './deliver.ts'
import { testMessage } from './message.ts'
import { newSecret } from './sign.ts'
import { targetOf } from './target.ts'

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/
const LONGEST_FILTER = 10_000
const MOST_HOURS = 24 * 30
const USUAL_HOURS = 4
/** Each is looked at every few minutes. */
const MOST_HOOKS = 20

/** What was sent of a hook, by name. */
export type Given = Readonly<Record<string, unknown>>

/** Where the service is. */
export interface Place {
  readonly origin: string
  /** LOCAL_HOOKS. */
  readonly local: boolean
}

export const placeOf = (url: URL | string, { LOCAL_HOOKS }: Settings): Place => ({
  origin: new URL(url).origin,
  local: LOCAL_HOOKS === 'on',
})

/** @throws QueryError naming what can't be taken */
export function ruleOf({ transition, hours, filter, cause }: Given): Rule {
  const name = TRANSITION_NAMES.find((known) => known === transition)
  if (name === undefined) {
    throw new QueryError(
      `transition takes ${TRANSITION_NAMES.join(', ')}, not "${transition}".${suggestion(String(transition), TRANSITION_NAMES)}`,
    )
  }
  const silence = hours === undefined || hours === '' ? USUAL_HOURS : Number(hours)
  if (!Number.isInteger(silence) || silence < 1 || silence > MOST_HOURS)
    throw new QueryError(`hours takes a whole number from 1 to ${MOST_HOURS}, not "${hours}".`)
  const condition = textOf(filter)
  if (condition.length > LONGEST_FILTER)
    throw new QueryError(`A filter may have ${LONGEST_FILTER} characters.`)
  const reason = textOf(cause)
  if (reason !== '' && name !== 'failed')
    throw new QueryError('Only the transition failed takes a cause.')
  return { transition: name, hours: silence, filter: condition, cause: reason }
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given.trim() : '')

/**
 * Makes a hook, which tells of what arrives from now on.
 *
 * @param place where the console is, and whether others on its machine may be told
 * @returns the secret that its messages are signed with, which is not told again
 * @throws QueryError naming what can't be taken
 */
export async function makeHook(
  database: Database,
  given: Given,
  { origin, local }: Place,
  now: number,
): Promise<{ readonly name: string; readonly secret: string }> {
  const name = String(given['name'])
  if (!NAME.test(name)) {
    throw new QueryError(
      `A hook can't be called "${name}": names are of lower-case letters, digits and dashes, at most 64.`,
    )
  }
  const rule = ruleOf(given)
  const { href: url } = targetOf(String(given['url'] ?? ''), local)
  if (rule.cause !== '' && !(await isCause(database, rule.cause)))
    throw new QueryError(`There is no cause "${rule.cause}".`)
  // One that can't be asked is refused now, and not at its first turn.
  await readOccurrences(database, rule, { since: now, until: now }, 1)
  if ((await readHooks(database)).length >= MOST_HOOKS)
    throw new QueryError(`There may be ${MOST_HOOKS} hooks, and there are.`)
  const secret = newSecret()
  if (!(await saveHook(database, { ...rule, name, url, origin, created: now }, secret)))
    throw new QueryError(`There is a hook called ${name}. Delete it first, or choose another name.`)
  return { name, secret }
}

/** @throws NotFound */
export async function hookNamed(database: Database, name: string): Promise<Hook> {
  const hook = (await readHooks(database)).find((one) => one.name === name)
  if (!hook) throw new NotFound('hook', name)
  return hook
}

/** Sends a message of no meaning. @returns what came of it. @throws NotFound */
export async function testHook(
  database: Database,
  name: string,
  place: Place,
  now: number,
): Promise<string> {
  const message = testMessage(await hookNamed(database, name), now)
  const [[delivery]] = await database.batch(addDelivery(name, message, now, null))
  return replay(database, delivery?.id, place, now)
}

/** Sends a message once more, under the name that it has. @returns what came of it. @throws NotFound */
export async function replay(
  database: Database,
  id: unknown,
  { local }: Place,
  now: number,
): Promise<string> {
  const number = /^\d{1,15}$/.test(String(id)) ? Number(id) : -1
  const outcome = await deliverNow(database, number, now, local)
  if (outcome === null) throw new NotFound('delivery', String(id))
  return outcome
}

/** Where messages go, as it is shown: the rest of an address is often as good as a password. */
export const shownTarget = ({ url }: Hook): string => `${new URL(url).origin}/…`
