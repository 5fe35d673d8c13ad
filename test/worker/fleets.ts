/** Small fleets as tables: a line a node, a letter a run. */

import { vi } from 'vitest'
import { store } from './client.ts'
import { at, event, NOON, report, resource, type Payload } from './reports.ts'

const failure = (message: string, parts: Payload = {}): Payload =>
  resource({ events: [event({ status: 'failure', message })], ...parts })

export const errorLine = (message: string, parts: Payload = {}): Payload => ({
  level: 'err',
  source: 'Puppet',
  tags: ['err'],
  time: at(0),
  file: null,
  line: null,
  message,
  ...parts,
})

/** What a letter stands for. */
export const RUNS: Readonly<Record<string, Payload>> = {
  '-': { status: 'unchanged' },
  // Changed something, corrected drift, failed at it.
  C: { status: 'changed', resources: [resource()] },
  D: {
    status: 'changed',
    corrective_change: true,
    resources: [
      resource({ corrective_change: true, events: [event({ corrective_change: true })] }),
    ],
  },
  F: { status: 'failed', resources: [failure("Could not find package 'nginx'")] },
  // The same, only that it would have.
  n: { status: 'unchanged', noop: true },
  c: {
    status: 'unchanged',
    noop: true,
    noop_pending: true,
    resources: [resource({ events: [event({ status: 'noop' })] })],
  },
  d: {
    status: 'unchanged',
    noop: true,
    noop_pending: true,
    corrective_change: true,
    resources: [resource({ events: [event({ status: 'noop', corrective_change: true })] })],
  },
  f: { status: 'failed', noop: true, resources: [failure('Could not evaluate: no')] },
  // Says that it is fine, and logs an error; and one that a manifest asked for.
  e: {
    status: 'unchanged',
    logs: [errorLine('Syntax error at end of input (file: /code/web.pp, line: 12)')],
  },
  N: {
    status: 'unchanged',
    logs: [errorLine('hello', { source: '/Stage[main]/Main/Notify[hi]/message' })],
  },
}

export const HALF_HOUR = 1_800_000

/**
 * Reports of a node, one for each letter, half an hour apart, the last one `ago` ms before noon;
 * a dot is a run that did not happen.
 */
export function runsOf(certname: string, letters: string, ago = 0, parts: Payload = {}): Payload[] {
  return [...letters].flatMap((letter, index) => {
    if (letter === '.') return []
    const time = -ago - (letters.length - 1 - index) * HALF_HOUR
    return [
      report({
        certname,
        start_time: at(time - 10_000),
        end_time: at(time - 500),
        producer_timestamp: at(time),
        ...RUNS[letter],
        ...parts,
      }),
    ]
  })
}

/** Stores reports, each as if it had arrived half a second after its time; then it is noon. */
export async function storeInTime(...payloads: readonly Payload[]): Promise<void> {
  for (const payload of payloads) {
    vi.setSystemTime(Date.parse(String(payload['producer_timestamp'])) + 500)
    await store(payload)
  }
  vi.setSystemTime(NOON)
}
