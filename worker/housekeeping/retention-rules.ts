/** Builds the rules of retention from the settings: which reports expire at which age, and which part of them is deleted. */

import type { Settings } from '../schema/settings.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { conditionsText, type TtlCondition, type TtlField, type TtlRule } from '../schema/ttl.ts'
import type { Part } from './delete-reports.ts'

/** PuppetDB's names of cleanup operations; `other` is its name for all without one. */
export type RuleStep = 'purge_reports' | 'purge_resource_events' | 'other'

export interface RetentionRule {
  readonly step: RuleStep
  /** The rule's text in the settings, or a description of the default. */
  readonly text: string
  /** Its name in `retention_progress`: unchanged as long as it applies to the same reports. */
  readonly name: string
  readonly part: Part
  /** The condition for the reports it applies to: SQL on `reports r`, whose parameter ?2 is `strings`. */
  readonly condition: string
  readonly strings: string
  /** Age in ms at which they expire. */
  readonly ttl: number
}

const KINDS: Readonly<Record<TtlField, number>> = {
  status: STRING_KINDS.reportStatus,
  environment: STRING_KINDS.environment,
}

/** SQL for the conditions of a rule; their values are in the list ?2 from `offset` on. No report has a string that was never stored. */
const meets = (conditions: readonly TtlCondition[], offset: number): string =>
  conditions
    .map(
      ({ field }, index) =>
        `r.${field} is coalesce((select id from strings where kind = ${KINDS[field]} and value = ?2 ->> ${offset + index}), -1)`,
    )
    .join(' and ')

/**
 * The rules in the order of application: first those that delete reports, then those that delete parts of the
 * others. The first rule that fits a report applies to it, so each rule excludes the reports of all before it.
 */
export function retentionRules(settings: Settings): RetentionRule[] {
  const { REPORT_TTL, REPORT_TTL_RULES, RESOURCE_EVENTS_TTL, LOGS_AND_METRICS_TTL } = settings
  const rules: TtlRule[] = [...REPORT_TTL_RULES, { conditions: [], ttl: REPORT_TTL }]
  const reports = rules.map(({ conditions, ttl }, index): RetentionRule => {
    const through = rules.slice(0, index + 1)
    const values = through.flatMap((rule) => rule.conditions)
    const terms = through.map((rule, place) => {
      const before = through.slice(0, place).flatMap((one) => one.conditions).length
      const text = meets(rule.conditions, before) || '1'
      return place === index ? `(${text})` : `not (${text})`
    })
    return {
      step: 'purge_reports',
      text: conditionsText(conditions) || 'every other report',
      name: `reports ${through.map((rule) => conditionsText(rule.conditions) || '*').join(' ')}`,
      part: 'report',
      condition: terms.join(' and '),
      strings: JSON.stringify(values.map(({ value }) => value)),
      ttl,
    }
  })
  const all: RetentionRule[] = [
    ...reports,
    {
      step: 'purge_resource_events',
      text: 'events of every report',
      name: 'events',
      part: 'events',
      condition: 'r.events > 0',
      strings: '[]',
      ttl: RESOURCE_EVENTS_TTL,
    },
    {
      step: 'other',
      text: 'logs and metrics of every report',
      name: 'logs and metrics',
      part: 'body',
      condition: 'r.body is not null',
      strings: '[]',
      ttl: LOGS_AND_METRICS_TTL,
    },
  ]
  return all.filter(({ ttl }) => ttl > 0)
}
