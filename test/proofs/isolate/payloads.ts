/** Commands of a size, each as hard on memory as a sender can make it. */

import { gzipSync } from 'node:zlib'
import { event, report, resource, type Payload } from '../../worker/reports.ts'

/** One part of a payload, and the payload with so many of them. */
interface Kind {
  readonly part: (n: number) => unknown
  readonly whole: (parts: readonly unknown[]) => Payload
}

/** A character beyond Latin-1 makes V8 hold the whole text with two bytes a character. */
const WIDE = '世'

/** Replaced in the text by a number that a double can't hold. */
const EXACT = '12345678901234567890'

const line = (message: string): Payload => ({
  level: 'notice',
  source: 'Puppet',
  tags: ['notice'],
  time: '2026-03-02T12:00:00.000Z',
  file: null,
  line: null,
  message,
})

export const KINDS = {
  'events of new names': {
    part: (n) =>
      resource({
        resource_title: `/etc/${n}`,
        events: [event({ status: 'failure', message: `no ${n} ${WIDE}`, old_value: `${n}` })],
      }),
    whole: (resources) => report({ certname: 'web1', status: 'failed', resources }),
  },
  'resources without events': {
    part: (n) => resource({ resource_title: `${n}`, events: [] }),
    whole: (resources) => report({ certname: 'web1', producer: WIDE, resources }),
  },
  'short lines of a log': {
    part: (n) => line(`${n}`),
    whole: (logs) => report({ certname: 'web1', producer: WIDE, logs }),
  },
  'equal lines of a log': {
    part: () => line('x'.repeat(1000)),
    whole: (logs) => report({ certname: 'web1', producer: WIDE, logs }),
  },
  'metrics, and a number beyond a double': {
    part: (n) => ({ category: 'time', name: `${n}`, value: n / 7 }),
    // With such a number the text is parsed by other means.
    whole: (metrics) =>
      report({
        certname: 'web1',
        producer: WIDE,
        metrics: [...metrics, { category: 'time', name: 'exact', value: EXACT }],
      }),
  },
  'empty lists': {
    part: () => [],
    whole: (logs) => report({ certname: 'web1', producer: WIDE, logs }),
  },
} as const satisfies Record<string, Kind>
export type KindName = keyof typeof KINDS

/** A payload of at most that many bytes and parts, in gzip. */
export function packedPayload(
  name: KindName,
  bytes: number,
  parts = Infinity,
): Uint8Array<ArrayBuffer> {
  const { part, whole }: Kind = KINDS[name]
  const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
  const each = size(part(1_000_000)) + 1
  const count = Math.min(parts, Math.floor((bytes - size(whole([]))) / each))
  const payload = {
    ...whole(Array.from({ length: count }, (_, n) => part(n))),
    // No two kinds are one report, or reports of one run.
    configuration_version: name,
    transaction_uuid: null,
  }
  const text = JSON.stringify(payload)
  return new Uint8Array(gzipSync(text.replace(`"${EXACT}"`, EXACT)))
}
