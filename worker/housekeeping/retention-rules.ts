/** The rules of retention, out of the settings: which reports, what is taken of them, at which age. */

import type { Settings } from '../schema/settings.ts'
import { STRING_KINDS } from '../schema/tables.ts'
import { conditionsText, type TtlCondition, type TtlField, type TtlRule } from '../schema/ttl.ts'
import type { Sweep } from './retention-runner.ts'

/** PuppetDB's names of cleanup operations; it calls `other` what has none. */
export type SweepStep = 'purge_reports' | 'purge_resource_events' | 'other'

export interface NamedSweep extends Sweep {
  readonly step: SweepStep
  /** The rule as it was written, or what else it is about. */
  readonly rule: string
}

const KINDS: Readonly<Record<TtlField, number>> = {
  status: STRING_KINDS.reportStatus,
  environment: STRING_KINDS.environment,
}

/** SQL for the conditions of a rule; the values stand in the list ?2 from `offset` on. A word that nobody has used is no report's. */
const meets = (conditions: readonly TtlCondition[], offset: number): string =>
  conditions
    .map(
      ({ field }, index) =>
        `r.${field} IS coalesce((SELECT id FROM strings WHERE kind = ${KINDS[field]} AND value = ?2 ->> ${offset + index}), -1)`,
    )
    .join(' AND ')

/**
 * Sweeps in the order in which they are made: those of reports, then those that trim what is left.
 * The first rule that fits a report counts, so each is about what no rule before it fits.
 */
export function sweepsOf(settings: Settings): NamedSweep[] {
  const { REPORT_TTL, REPORT_TTL_RULES, RESOURCE_EVENTS_TTL, LOGS_AND_METRICS_TTL } = settings
  const rules: TtlRule[] = [...REPORT_TTL_RULES, { conditions: [], ttl: REPORT_TTL }]
  const reports = rules.map(({ conditions, ttl }, index): NamedSweep => {
    const through = rules.slice(0, index + 1)
    const values = through.flatMap((rule) => rule.conditions)
    const terms = through.map((rule, place) => {
      const before = through.slice(0, place).flatMap((one) => one.conditions).length
      const text = meets(rule.conditions, before) || '1'
      return place === index ? `(${text})` : `NOT (${text})`
    })
    return {
      step: 'purge_reports',
      rule: conditionsText(conditions) || 'every other report',
      name: `reports ${through.map((rule) => conditionsText(rule.conditions) || '*').join(' ')}`,
      removal: 'report',
      about: terms.join(' AND '),
      words: JSON.stringify(values.map(({ value }) => value)),
      ttl,
    }
  })
  const all: NamedSweep[] = [
    ...reports,
    {
      step: 'purge_resource_events',
      rule: 'events of every report',
      name: 'events',
      removal: 'events',
      about: 'r.events > 0',
      words: '[]',
      ttl: RESOURCE_EVENTS_TTL,
    },
    {
      step: 'other',
      rule: 'logs and metrics of every report',
      name: 'logs and metrics',
      removal: 'body',
      about: 'r.body IS NOT NULL',
      words: '[]',
      ttl: LOGS_AND_METRICS_TTL,
    },
  ]
  return all.filter(({ ttl }) => ttl > 0)
}
