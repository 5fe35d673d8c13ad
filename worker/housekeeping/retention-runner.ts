/**
 * Applies one rule of retention, from the oldest report on. Keys are in the order of time, so the reports that
 * expired since the last run are a range of keys. `retention_progress` stores the rule's position, so that the
 * reports that it keeps are read once and not every hour.
 */

import { keyMillisecond } from '../schema/key.ts'
import { integer, nullable, selectText, text, typed } from '../sql/columns.ts'
import {
  dayStart,
  firstKey,
  firstKeyOfHour,
  hourNumber,
  hourStart,
  integerOf,
} from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { readBlockedDays } from '../store/history.ts'
import { deleteReports, IS_LATEST, type Guard } from './delete-reports.ts'
import { inBatches, MOST_REPORTS } from './batches.ts'
import { EXPIRED, type ExpiredReport } from './expired-report.ts'
import type { RequiredHistory } from './required-history.ts'
import type { RetentionRule } from './retention-rules.ts'

/** The result of applying a rule. */
export interface RuleResult {
  readonly reports: number
  /** Keys of reports that D1 can't delete, which a later run tries again. */
  readonly passedOver: readonly string[]
  /** Whether the rule is finished: no other expired report is left. */
  readonly complete: boolean
  /** Whether expired reports are left because the history does not hold them yet. */
  readonly waitsForHistory?: true
}

const FIRST_KEY = firstKey(keyMillisecond(-Infinity))

/** Reports with lower keys have expired. Rounds to whole hours, so that the counts of an hour are deleted at once. */
export const keyOfAge = (now: number, ttl: number): number =>
  firstKey(keyMillisecond(hourStart(hourNumber(now - ttl))))

/** A report that a run has read. Retention protects an expired report that is its node's latest. */
const scanned = (condition: string) => ({
  ...EXPIRED,
  outcome: text<'not meant' | 'protected' | 'expired', string>(
    `case when ${condition} then iif(${IS_LATEST}, 'protected', 'expired') else 'not meant' end`,
  ),
})
/** ?1 first key, ?2 strings, ?3 the key after the last. */
const scan = (columns: ReturnType<typeof scanned>): string => `select ${selectText(columns)}
from reports r not indexed where r.id >= ${integerOf('?1')} and r.id < ${integerOf('?3')} order by r.id limit ${MOST_REPORTS}`

const RELEASED = { key: integer('p.report'), events: integer('coalesce(r.events, 0)') }
/** Protected reports that are no longer their node's latest. ?1 rule, ?2 the key after the last. */
const READ_RELEASED = `select ${selectText(RELEASED)} from protected_reports p
left join reports r on r.id = p.report left join nodes n on n.id = r.node
where p.rule = ?1 and p.report < ${integerOf('?2')} and n.latest is not p.report limit ${MOST_REPORTS}`
const RELEASE = `delete from protected_reports where rule = ?1 and report in (select value from json_each(?2))`
const PROTECT = `insert or ignore into protected_reports (rule, report) select ?1, value from json_each(?2)`

const CURSOR = { cursor: integer('cursor') }
const READ_CURSOR = `select ${selectText(CURSOR)} from retention_progress where rule = ?1`
const WRITE_CURSOR = `insert into retention_progress (rule, cursor) values (?1, ${integerOf('?2')})
on conflict (rule) do update set cursor = excluded.cursor where cursor <> excluded.cursor`

const FIRST_OPEN = { key: nullable(integer(firstKeyOfHour('min(hour)'))) }
const READ_FIRST_OPEN = `select ${selectText(FIRST_OPEN)} from open_hours`

const WAITING = { key: integer('r.id') }
/** An expired report that the history may lack. ?1 first key, ?2 strings, ?3 the key after the last. */
const readWaiting = (
  condition: string,
): string => `select ${selectText(WAITING)} from reports r not indexed
where r.id >= ${integerOf('?1')} and r.id < ${integerOf('?3')} and (${condition}) and not ${IS_LATEST} limit 1`

/** The state in which a run of a rule begins. */
export interface RuleStart {
  /** Reports that are no longer protected. */
  readonly released: readonly ExpiredReport[]
  /** The rule's position. */
  readonly cursor: number
  /** The position of the next run: at an open hour, if closing that hour will move retention back to it. */
  readonly next: number
}

/** @param behind the key after the last expired one */
export async function readStart(
  database: Database,
  { name }: RetentionRule,
  behind: number,
): Promise<RuleStart> {
  const [released, cursors, open] = await database.batch([
    typed(RELEASED, { sql: READ_RELEASED, params: [name, behind] }),
    typed(CURSOR, { sql: READ_CURSOR, params: [name] }),
    typed(FIRST_OPEN, { sql: READ_FIRST_OPEN, params: [] }),
  ])
  const cursor = cursors[0]?.cursor ?? FIRST_KEY
  return { released, cursor, next: Math.min(cursor, open[0]?.key ?? Infinity) }
}

/** The reports of a page that a rule applies to. */
export interface RulePage {
  readonly expired: readonly ExpiredReport[]
  /** Keys of reports that are kept because they are their nodes' latest. */
  readonly protected: readonly number[]
  /** First key of the next page; null after the last. */
  readonly next: number | null
}

/** Reads the reports from a key on. @param behind the key after the last */
export async function readRulePage(
  database: Database,
  { condition, strings }: RetentionRule,
  from: number,
  behind: number,
): Promise<RulePage> {
  const columns = scanned(condition)
  const [reports] = await database.batch([
    typed(columns, { sql: scan(columns), params: [from, strings, behind] }),
  ])
  return {
    expired: reports.filter(({ outcome }) => outcome === 'expired'),
    protected: reports.flatMap(({ key, outcome }) => (outcome === 'protected' ? [key] : [])),
    next: reports.length < MOST_REPORTS ? null : reports.at(-1)!.key + 1,
  }
}

/**
 * Applies the rule until no report that expired by `now` is left, or `mayContinue` returns false between two
 * steps. Each step is one transaction of bounded size, and the next run continues after the last step. A report that D1
 * can't delete is listed with the protected ones, which are read at the end of a run: it makes no other wait.
 *
 * @param required the history, where reports wait until it holds them: a day that it lacks keeps its own reports only
 */
export async function applyRule(
  database: Database,
  rule: RetentionRule,
  now: number,
  mayContinue: () => boolean,
  required: RequiredHistory | null = null,
): Promise<RuleResult> {
  const expired = keyOfAge(now, rule.ttl)
  const blocked = required === null ? [] : await readBlockedDays(database, expired)
  const firstBlocked = blocked.length === 0 ? expired : firstKey(dayStart(blocked[0]!))
  const run = new RuleRun(database, rule, { expired, firstBlocked, mayContinue, required })
  const { released, cursor } = await readStart(database, rule, firstBlocked)
  // If the age is longer than before, the reports that have not reached it begin below the cursor.
  for (const [start, behind] of spansBetween(blocked, Math.min(cursor, run.frontier), expired))
    if (!(await run.applyTo(start, behind))) return run.result(false)
  if (cursor > run.frontier) await database.batch([run.moveTo(run.frontier)])
  const complete = await run.deleteAll(released, (batch) =>
    run.marked(
      RELEASE,
      batch.map(({ key }) => key),
    ),
  )
  if (run.frontier === expired) return run.result(complete)
  const { condition, strings } = rule
  const [waiting] = await database.batch([
    typed(WAITING, { sql: readWaiting(condition), params: [run.frontier, strings, expired] }),
  ])
  return waiting.length === 0
    ? run.result(complete)
    : { ...run.result(false), waitsForHistory: true }
}

interface RuleBounds {
  /** Reports with lower keys have expired. */
  readonly expired: number
  /** The first key of the first day that the history does not hold. */
  readonly firstBlocked: number
  readonly mayContinue: () => boolean
  readonly required: RequiredHistory | null
}

/** What one run of a rule deletes, in batches. */
class RuleRun {
  #reports = 0
  readonly #passedOver: string[] = []
  readonly #guard: Guard

  constructor(
    private readonly database: Database,
    private readonly rule: RetentionRule,
    private readonly bounds: RuleBounds,
  ) {
    this.#guard = {
      sql: `(${rule.condition}) and r.id < ${integerOf('?3')} and not ${IS_LATEST}`,
      params: [rule.strings, bounds.expired],
    }
  }

  /** Below it the rule is done: a day that the history lacks is looked at again, and all behind it with it. */
  get frontier(): number {
    const { expired, firstBlocked, required } = this.bounds
    return Math.min(expired, firstBlocked, required?.firstLackingKey ?? Infinity)
  }

  result(complete: boolean): RuleResult {
    return { reports: this.#reports, passedOver: this.#passedOver, complete }
  }

  moveTo(key: number): Statement {
    return { sql: WRITE_CURSOR, params: [this.rule.name, Math.min(key, this.frontier)] }
  }

  marked(sql: string, keys: readonly number[]): Statement[] {
    return keys.length === 0 ? [] : [{ sql, params: [this.rule.name, JSON.stringify(keys)] }]
  }

  /** Deletes the reports; `further` belongs to the transaction of each batch, whether it deletes it or passes over it. */
  deleteAll(
    expired: readonly ExpiredReport[],
    further: (batch: readonly ExpiredReport[], isLast: boolean) => readonly Statement[],
  ): Promise<boolean> {
    const { mayContinue, required } = this.bounds
    return inBatches(expired, {
      mayContinue,
      work: async (batch, isLast) => {
        const keys = batch.map(({ key }) => key)
        const guard = required === null ? this.#guard : await required.guardOf(this.#guard, keys)
        const more = further(batch, isLast)
        this.#reports += await deleteReports(this.database, this.rule.part, batch, guard, more)
      },
      passOver: async (report, isLast) => {
        this.#passedOver.push(String(report.key))
        const protect = this.marked(PROTECT, [report.key])
        await this.database.batch([...further([report], isLast), ...protect])
      },
    })
  }

  /** Applies the rule to a span of keys, page by page. @returns false where it has to end before the span does */
  async applyTo(start: number, behind: number): Promise<boolean> {
    let from: number | null = start
    while (from !== null && from < behind) {
      if (!this.bounds.mayContinue()) return false
      const page: RulePage = await readRulePage(this.database, this.rule, from, behind)
      const end = page.next ?? behind
      // Protects reports before the cursor moves past them.
      const protect = this.marked(PROTECT, page.protected)
      const further = (batch: readonly ExpiredReport[], isLast: boolean): Statement[] => [
        ...protect,
        this.moveTo(isLast ? end : batch.at(-1)!.key + 1),
      ]
      if (!(await this.deleteAll(page.expired, further))) return false
      if (page.expired.length === 0 && (protect.length > 0 || page.next === null)) {
        await this.database.batch([...protect, this.moveTo(end)])
      }
      from = page.next
    }
    return true
  }
}

/** The spans of keys between two bounds that hold no report of the days. @param days in their order */
function spansBetween(
  days: readonly number[],
  from: number,
  behind: number,
): readonly (readonly [from: number, behind: number])[] {
  const starts = [from, ...days.map((day) => firstKey(dayStart(day + 1)))]
  const ends = [...days.map((day) => firstKey(dayStart(day))), behind]
  return starts
    .map((start, index) => [Math.max(start, from), Math.min(ends[index]!, behind)] as const)
    .filter(([start, end]) => start < end)
}
