/** What the form of a hook holds: from its address, from the hook that is edited, or as it is at first. */

import type { HookInput } from '../notify/hooks.ts'
import type { Hook } from '../store/hooks.ts'
import { fieldsOfFilter, filterOfFields } from './hook-filter.ts'

const FIELDS = [
  ...['name', 'format', 'url', 'transition', 'hours', 'environment', 'nodes', 'filter', 'cause'],
  'new_secret',
] as const

/** The values of the form's fields by their names. */
export type HookFields = Readonly<Record<string, string>>

const FIRST: HookFields = { format: 'slack', transition: 'new-cause', hours: '4' }

/** @param edited the hook that is edited; null for a new one */
export function hookFieldsOf(sent: URLSearchParams, edited: Hook | null): HookFields {
  if (sent.has('transition'))
    return {
      ...FIRST,
      ...Object.fromEntries(FIELDS.map((name) => [name, sent.get(name)?.trim() ?? ''])),
    }
  if (edited === null) return FIRST
  const { name, format, transition, hours, filter, cause } = edited
  // The URL may work like a password, and is not shown.
  return { name, format, transition, hours: String(hours), cause, ...fieldsOfFilter(filter) }
}

/** The hook that the fields ask for. An empty URL keeps that of the hook that is edited. */
export function hookInputOf(fields: HookFields): HookInput {
  const { name, format, url, transition, hours, cause, new_secret } = fields
  const text = (field: string): string => fields[field] ?? ''
  const filter = filterOfFields({
    environment: text('environment'),
    nodes: text('nodes'),
    filter: text('filter'),
  })
  return {
    ...{ name, format, transition, hours, filter },
    // A cause that is left from another choice of the event.
    cause: transition === 'failed' ? cause : '',
    ...(url ? { url } : {}),
    ...(new_secret ? { new_secret: true } : {}),
  }
}
