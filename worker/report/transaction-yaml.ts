/** Reads the YAML of Puppet's report processors `http` and `store` into the payload of `store report`. */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { isRecord } from '../lib/lossless.ts'
import { parseYaml } from '../yaml/parse.ts'
import type { SkipRule } from '../yaml/skip-entries.ts'
import { Slowest } from './slowest.ts'
import { payloadOf, type Sender } from './transaction-report.ts'

const REPORT = '!ruby/object:Puppet::Transaction::Report'

/** `File[/etc/motd]` */
const REFERENCE = /^([^[]+)\[([\s\S]*)\]$/

/**
 * Reads a report. Skips unchanged resources except for their times, because they are nearly all of the text.
 *
 * @throws CommandError naming line and reason
 */
export function payloadOfYaml(text: string, sender: Sender): { readonly [key: string]: Json } {
  const slowest = new Slowest()
  const { tag, value } = parseYaml(text, unchangedResources(slowest))
  if (tag !== null && tag !== REPORT) {
    throw new CommandError(`The YAML is ${tag.slice(0, 100)} in its first line, not ${REPORT}.`)
  }
  if (!isRecord(value))
    throw new CommandError('The YAML is no report: its first line begins no hash.')
  return payloadOf(value, sender, slowest)
}

/** Resources that the terminus leaves out: without events and not skipped. */
const unchangedResources = (slowest: Slowest): SkipRule => ({
  under: 'resource_statuses',
  keys: ['events', 'skipped', 'evaluation_time'],
  decide([events, skipped, seconds], name) {
    if (events !== '[]' || skipped !== 'false') return false
    slowest.add(Number(seconds ?? NaN), () => {
      const [, type = '', title = ''] = REFERENCE.exec(name()) ?? []
      return [type, title]
    })
    return true
  },
})
