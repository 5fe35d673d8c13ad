/** What the senders send: reports of every shape, told apart by their configuration version. */

import { event, report, resource, type Payload } from '../../worker/reports.ts'

const DAY = 86_400_000

/** Older than `REPORT_TTL`: these go with the next run of retention, wherever that is cut off. */
const OLD_MS = 20 * DAY

export interface Sent {
  readonly name: string
  readonly certname: string
  readonly old: boolean
  readonly payload: Payload
}

const iso = (time: number): string => new Date(time).toISOString()

/** The `n`th report of a sender. Senders share nodes, so that reports of one node arrive at the same time and out of order. */
export function reportOf(random: () => number, sender: number, n: number, now: number): Sent {
  const whole = (below: number): number => Math.floor(random() * below)
  const old = random() < 0.15
  const certname = `${old ? 'old' : 'node'}-${whole(12)}`
  const time = now - (old ? OLD_MS : 0) - whole(3 * 3_600_000)
  const name = `sender ${sender}, report ${n}`
  const status = ['unchanged', 'unchanged', 'changed', 'failed'][whole(4)]!
  const events = status === 'unchanged' ? 0 : random() < 0.05 ? 700 : 1 + whole(12)
  const huge = random() < 0.03
  const logs = Array.from({ length: whole(6) }, (_, line) => ({
    file: null,
    line: null,
    level: 'notice',
    // Random digits can't be packed: a body of several pieces.
    message: `${name}, line ${line} ${huge ? Array.from({ length: 60_000 }, () => whole(1e9)).join('') : ''}`,
    source: 'Puppet',
    tags: ['notice'],
    time: iso(time - 5000 + line),
  }))
  const payload = report({
    certname,
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
    configuration_version: name,
    environment: `environment_${whole(5)}`,
    status,
    logs,
    metrics: [{ category: 'time', name: 'total', value: whole(1e6) / 1000 }],
    resources: Array.from({ length: events }, (_, index) =>
      resource({
        resource_title: `/srv/${sender}/${whole(400)}`,
        events: [
          event({
            status: status === 'failed' ? 'failure' : 'success',
            message: `${name}, event ${index}`,
            timestamp: iso(time - 5000),
          }),
        ],
      }),
    ),
  })
  return { name, certname, old, payload }
}
