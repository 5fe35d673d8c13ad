/** The form of the tables in this folder: real messages by the cause that each must give. */

import { expect } from 'vitest'
import { causesOf, type Cause } from '../../../worker/report/causes.ts'

/** A failure as it was reported. Without a node it is web-1.example.com. */
export interface Failure {
  /** `Package[nginx]`; left out for a line of the log. */
  readonly of?: string
  /** The lines of its message. */
  readonly says: readonly string[]
  readonly node?: string
}

/**
 * By the label of a cause, all messages that must have this cause; the first gives the label. Messages under different
 * labels must have different causes.
 */
export type CauseTable = Readonly<Record<string, readonly Failure[]>>

/** A message of one failed resource. */
export const failed = (of: string, ...says: readonly string[]): Failure => ({ of, says })

/** The same on another node. */
export const failedOn = (node: string, of: string, ...says: readonly string[]): Failure => ({
  of,
  says,
  node,
})

/** A line of the log, without a resource. */
export const logged = (...says: readonly string[]): Failure => ({ says })

export const loggedOn = (node: string, ...says: readonly string[]): Failure => ({ says, node })

/** The cause of a run with this failure alone. */
export function causeOf({ of, says, node = 'web-1.example.com' }: Failure): Cause {
  const message = says.join('\n')
  const failure = { number: 0, message, ...partsOf(of ?? '') }
  const line = { level: 'err', source: 'Puppet', message, file: null, line: null }
  const run = { certname: node, logs: of ? [] : [line], failures: of ? [failure] : [] }
  const [cause, ...more] = causesOf(run)
  expect(more).toEqual([])
  return cause!
}

function partsOf(resource: string) {
  const [, resourceType = '', resourceTitle = ''] = /^([^[]*)\[(.*)\]$/.exec(resource) ?? []
  return { resourceType, resourceTitle }
}
