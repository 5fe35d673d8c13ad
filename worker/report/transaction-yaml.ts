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
  const { tag, value, line } = parseYaml(text, unchangedResources(slowest))
  if (tag !== null && tag !== REPORT) {
    throw new CommandError(`The YAML is ${tag.slice(0, 100)} in its first line, not ${REPORT}.`)
  }
  if (!isRecord(value))
    throw new CommandError(`This isn't a Puppet report: line ${line} doesn't start a YAML mapping.`)
  try {
    return payloadOf(value, sender, slowest)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new CommandError(
      `The mapping that starts in line ${line} isn't a report. ${error.message}`,
    )
  }
}

/** `host: web1` on a separate line, as Psych writes it. */
const HOST = /^host: (?:'([^'\n]+)'|"([^"\n]+)"|([^\s'"][^\n]*))$/m

/** The node that a text is about, even where it can't be read as a report; null where no line says so. */
export function hostIn(text: string): string | null {
  const [, single, double, plain] = HOST.exec(text) ?? []
  return single ?? double ?? plain ?? null
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
