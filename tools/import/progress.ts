/** Counts the results of an import, and shows them: on a terminal in one line that is rewritten, elsewhere in a line now and then. */

/** Where there is no terminal. */
const REPORTS_PER_LINE = 1000

export class Progress {
  read = 0
  stored = 0
  known = 0
  refused = 0
  /** Finished in an earlier, interrupted import. */
  skipped = 0
  /** Reason → how often, and the first report. */
  readonly reasons = new Map<string, { count: number; first: string }>()
  private readonly begun = performance.now()
  private shown = 0
  private lines = 0

  constructor(private readonly total: number | null) {}

  refuse(name: string, reason: string): void {
    this.refused++
    const earlier = this.reasons.get(reason)
    if (earlier) earlier.count++
    else this.reasons.set(reason, { count: 1, first: name })
  }

  show(stream: NodeJS.WriteStream): void {
    if (!stream.isTTY) {
      // Several reports are under way: by now more may have been read than when this one was.
      const lines = Math.floor(this.read / REPORTS_PER_LINE)
      if (lines > this.lines) stream.write(`${this.line()}\n`)
      this.lines = lines
      return
    }
    if (performance.now() - this.shown < 200) return
    this.shown = performance.now()
    stream.write(`\r\x1b[K${this.line()}`)
  }

  line(): string {
    const seconds = (performance.now() - this.begun) / 1000
    const done = this.read + this.skipped
    const rate = this.read / Math.max(seconds, 0.001)
    const amount =
      this.total === null ? grouped(done) : `${grouped(done)} of ${grouped(this.total)}`
    const left =
      this.total === null || rate === 0 ? '' : `, ${spoken((this.total - done) / rate)} left`
    return `${bar(this.total === null ? null : done / this.total)}${amount} reports, ${Math.round(rate)}/s${left}`
  }

  /** The final summary. */
  summary(): string {
    const seconds = (performance.now() - this.begun) / 1000
    const lines = [
      `read     ${grouped(this.read)}${this.skipped > 0 ? ` (and ${grouped(this.skipped)} before the interruption)` : ''}`,
      `stored   ${grouped(this.stored)}`,
      `known    ${grouped(this.known)}`,
      `refused  ${grouped(this.refused)}`,
      ...[...this.reasons].map(
        ([reason, { count, first }]) => `  ${count} × ${reason} (first: ${first})`,
      ),
      `in ${spoken(seconds)}, ${Math.round(this.read / Math.max(seconds, 0.001))} reports a second`,
    ]
    return lines.join('\n')
  }
}

const WIDTH = 20

function bar(share: number | null): string {
  if (share === null) return ''
  const full = Math.round(Math.min(1, share) * WIDTH)
  return `[${'='.repeat(full)}${' '.repeat(WIDTH - full)}] `
}

const grouped = (count: number): string => count.toLocaleString('en-US')

function spoken(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
