/** Refusals that an isolate writes together, once a minute: those that cost a sender without access, or in a hurry, nothing. */

/** A refused command, and how often the same was refused. */
export interface RefusedCommand {
  /** Name of the principal; empty where the request had no valid credentials. */
  readonly sender: string
  /** The node as the request names it; empty where it names none. */
  readonly certname: string
  readonly reason: string
  readonly count: number
}

/** Writing refusals costs at most one batch in this time, whatever is sent. */
const INTERVAL_MS = 60_000

/** Refusals of further nodes are counted without a name. */
const MOST_NAMED = 20
/** Further reasons are counted together, as reasons quote what was sent: while the database writes nothing, they would add up. */
const MOST_REASONS = 20
const FURTHER_REASON = 'Refused for further reasons; the log has each.'

export class PendingRefusals {
  private readonly refusals = new Map<string, RefusedCommand>()
  private earliest = 0

  add(refusal: RefusedCommand): void {
    const { size } = this.refusals
    const isNew = (one: RefusedCommand): boolean => !this.refusals.has(this.key(one))
    let added = refusal
    if (size >= MOST_NAMED && isNew(added)) added = { ...added, certname: '' }
    if (size >= MOST_NAMED + MOST_REASONS && isNew(added)) {
      added = { ...added, sender: '', reason: FURTHER_REASON }
    }
    const key = this.key(added)
    const count = (this.refusals.get(key)?.count ?? 0) + refusal.count
    this.refusals.set(key, { ...added, count })
  }

  /** All that may be written at `now` (ms); none within a minute of the last time. */
  take(now: number): readonly RefusedCommand[] {
    if (this.refusals.size === 0 || now < this.earliest) return []
    this.earliest = now + INTERVAL_MS
    const taken = [...this.refusals.values()]
    this.refusals.clear()
    return taken
  }

  private readonly key = ({ sender, certname, reason }: RefusedCommand): string =>
    JSON.stringify([sender, certname, reason])
}
