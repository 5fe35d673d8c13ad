/** Commands as they are posted, and the hash that PuppetDB gives a report. */

import { createHash } from 'node:crypto'
import type { Json } from '../../../worker/lib/json.ts'
import { instant } from './values.ts'

export type Payload = Readonly<Record<string, Json>>

export interface Command {
  readonly command: 'store report' | 'deactivate node' | 'replace facts' | 'replace catalog'
  readonly version: number
  readonly certname: string
  readonly producer_timestamp: string
  readonly payload: Payload
}

const PARTS =
  'certname configuration_version end_time producer_timestamp puppet_version report_format start_time transaction_uuid'.split(
    ' ',
  )

/** SHA-1 of eight values of the report as compact JSON, whose control characters have upper-case digits. */
export function hashOf(payload: Payload): string {
  const identity = Object.fromEntries(
    PARTS.map((name) => {
      const value = payload[name] ?? null
      const isTime = /_time(stamp)?$/.test(name)
      return [name, isTime ? new Date(instant(value)!).toISOString() : value]
    }),
  )
  const text = JSON.stringify(identity).replaceAll(/\\(?:u(....)|.)/g, (escape, digits?: string) =>
    digits === undefined ? escape : `\\u${digits.toUpperCase()}`,
  )
  return createHash('sha1').update(text).digest('hex')
}
