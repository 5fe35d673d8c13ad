/** Ranks the error lines of a run: which of them says why the run failed, and which are of facts and plugins alone. */

import type { Json } from '../../lib/json.ts'
import { isRecord } from '../../lib/lossless.ts'
import type { Report } from '../report.ts'

const ERROR_LEVELS: readonly Json[] = ['err', 'alert', 'crit', 'emerg']

/** What an error line is about, nearest to the reason first. */
export const LINE_TOPICS = [
  'resource',
  'catalog',
  'application',
  'run',
  'other',
  'prefetch',
  'before',
] as const
export type LineTopic = (typeof LINE_TOPICS)[number]

/** The first row that matches says the topic. Sources as Puppet writes them; `before` the catalog is applied. */
const TOPICS: readonly (readonly [topic: LineTopic, source: RegExp, message: RegExp])[] = [
  ['before', /^Facter$/, /(?:)/],
  [
    'before',
    /(?:)/,
    /^(?:Facter: |Error while (?:resolving|evaluating) (?:custom |external )?fact |Could not load (?:custom |external )?fact|Could not retrieve local facts|Error loading fact|Fact file )/i,
  ],
  // Plugins are synchronized by resources that are in no catalog.
  ['before', /^\/File\[[^\]]*\/(?:lib|facts\.d|locales)\b/, /(?:)/],
  ['before', /(?:)/, /^Could not retrieve (?:pluginfacts|plugin|locales)\b/],
  ['before', /(?:)/, /, trying next route: /],
  ['other', /(?:)/, /; skipping run$|^Could not send report|^Could not save last run/],
  // The state of resources could not be read in advance. Resources that fail by it say so themselves.
  ['prefetch', /(?:)/, /^Could not prefetch /],
  ['resource', /^\/?(?:Stage\[|.*\][^/]*\/)|^[A-Z][\w:]*\[/, /(?:)/],
  [
    'catalog',
    /(?:)/,
    /^Could not retrieve catalog from remote server|^Could not compile catalog|^(?:Server |Evaluation )Error: /,
  ],
  [
    'application',
    /(?:)/,
    /^Failed to apply catalog|^Could not apply complete catalog|^Found \d+ dependency cycle/,
  ],
  ['run', /^Puppet$/, /(?:)/],
  ['other', /(?:)/, /(?:)/],
]

/** A line that reports an error, with its index among the logs. */
export interface ErrorLogLine {
  readonly index: number
  readonly topic: LineTopic
  readonly message: string | null
  /** `Service[nginx]`, if the line is about a resource. */
  readonly resource: string | null
  readonly file: string | null
  readonly line: number | null
}

/** A line that a manifest asked for isn't a failure, at any level. */
const isNotice = (source: string): boolean => source.includes('/Notify[')

/** The error lines of a run, in their order. */
export const errorLines = ({ logs }: Pick<Report, 'logs'>): ErrorLogLine[] =>
  (logs ?? []).flatMap((log, index) => {
    if (!isRecord(log) || !ERROR_LEVELS.includes(log['level'] ?? null)) return []
    const source = typeof log['source'] === 'string' ? log['source'] : ''
    if (isNotice(source)) return []
    const message = typeof log['message'] === 'string' ? log['message'] : null
    const topic = topicOf(source, message ?? '')
    return {
      index,
      topic,
      message,
      resource: topic === 'resource' ? resourceIn(source) : null,
      file: typeof log['file'] === 'string' ? log['file'] : null,
      line: Number.isSafeInteger(log['line']) ? (log['line'] as number) : null,
    }
  })

const topicOf = (source: string, message: string): LineTopic =>
  TOPICS.find(([, ofSource, ofMessage]) => ofSource.test(source) && ofMessage.test(message))![0]

/** The last resource in a path: `/Stage[main]/Web/Service[nginx]/ensure` is of Service[nginx]. */
const resourceIn = (source: string): string | null =>
  /([A-Z]\w*(?:::[A-Z]\w*)*\[(?:[^\]]|\](?!\/|$))*\])(?:\/[a-z_]\w*)?$/.exec(source)?.[1] ?? null

/** An agent that has tried all of its servers. The line about the last of them says why. */
const NO_SERVER_LEFT = /\bNo more routes to \w+$|\bCould not select a functional puppet server /
const TRIED = /, trying next route: /

/** The line that says why the run failed: the first of the nearest topic. */
export function reasonLine(lines: readonly ErrorLogLine[]): ErrorLogLine | undefined {
  const [first] = LINE_TOPICS.flatMap((topic) => lines.find((line) => line.topic === topic) ?? [])
  if (!NO_SERVER_LEFT.test(first?.message?.trim() ?? '')) return first
  return lines.findLast(({ message }) => TRIED.test(message ?? '')) ?? first
}

/** What a server answers, or fails with, that has nothing to do with the code. */
const OF_SERVER =
  /PuppetDB|JRuby|OutOfMemory|Java heap|<html|searching for node|timed? ?out|execution expired|Connection (?:refused|reset)|Too many open files|Cannot allocate memory|No space left/i
/** Puppet 3 answered compile errors with 400. */
const REFUSED = /^Could not retrieve catalog from remote server: Error (?:400|500) on SERVER: /
const COMPILING = /^Could not compile catalog|^(?:Server |Evaluation )Error: /

/** Whether a line reports that a catalog did not compile: not that network or server failed. */
export const isCompileError = ({ topic, message }: ErrorLogLine): boolean =>
  topic === 'catalog' &&
  message !== null &&
  (REFUSED.test(message) || COMPILING.test(message)) &&
  !OF_SERVER.test(message)

/** Whether a run that sent these lines applied a catalog: only then does it count resources. */
function appliedCatalog({ logs, metrics }: Pick<Report, 'logs' | 'metrics'>): boolean {
  const counted = (metrics ?? []).some(
    (metric) =>
      isRecord(metric) &&
      metric['category'] === 'resources' &&
      metric['name'] === 'total' &&
      Number(metric['value']) > 0,
  )
  return (
    counted ||
    (logs ?? []).some((log) => isRecord(log) && /^Applied catalog in /.test(String(log['message'])))
  )
}

/** The errors of a run by what they mean for its state. */
export interface RunErrors {
  /** Whether a line reports that the run failed. */
  readonly errors: boolean
  /** Whether facts or plugins failed, and the run applied its catalog all the same. */
  readonly factErrors: boolean
}

export function runErrorsOf(report: Pick<Report, 'logs' | 'metrics'>): RunErrors {
  const lines = errorLines(report)
  const isHarmless = ({ topic }: ErrorLogLine): boolean =>
    topic === 'before' || topic === 'prefetch'
  const applied = lines.some(isHarmless) && appliedCatalog(report)
  return {
    errors: lines.some((line) => !applied || !isHarmless(line)),
    factErrors: applied && lines.some(({ topic }) => topic === 'before'),
  }
}
