/** The causes of real messages: what each is called, which are the same, and which line of a run's log says why. */

import { describe, expect, it } from 'vitest'
import { causesOf } from '../../worker/report/causes.ts'
import { APT } from './causes/packages-apt.ts'
import { COMPILATION } from './causes/compilation.ts'
import { CONNECTIONS } from './causes/connections.ts'
import { CUSTOM_TYPES } from './causes/custom-types.ts'
import { EXECS } from './causes/execs.ts'
import { FILES } from './causes/files.ts'
import { PACKAGES } from './causes/packages.ts'
import { REPOSITORIES } from './causes/repositories.ts'
import { SERVICES } from './causes/services.ts'
import { VARIANTS } from './causes/variants.ts'
import { WRAPPINGS } from './causes/wrappings.ts'
import { causeOf, type CauseTable } from './causes/table.ts'

const TOPICS: Readonly<Record<string, CauseTable>> = {
  'apt and dpkg': APT,
  'other packages': PACKAGES,
  services: SERVICES,
  execs: EXECS,
  'repositories and downloads': REPOSITORIES,
  files: FILES,
  compilation: COMPILATION,
  connections: CONNECTIONS,
  'custom types': CUSTOM_TYPES,
  variants: VARIANTS,
  wrappings: WRAPPINGS,
}

describe.each(Object.entries(TOPICS))('%s', (_, table) => {
  it.each(Object.entries(table))('%s', (label, [first, ...others]) => {
    const cause = causeOf(first!)
    expect(cause.reason).toBe(label)
    expect(others.map((other) => [causeOf(other).name, other.says])).toEqual(
      others.map(({ says }) => [cause.name, says]),
    )
  })
})

it('gives different causes under different labels, from at least 120 messages', () => {
  const causes = Object.values(TOPICS).flatMap((table) =>
    Object.entries(table).map(([label, [first]]) => [causeOf(first!).name, label] as const),
  )
  const labels = new Map<string, string[]>()
  for (const [name, label] of causes) labels.set(name, [...(labels.get(name) ?? []), label])
  expect([...labels.values()].filter((same) => same.length > 1)).toEqual([])
  const messages = Object.values(TOPICS).flatMap((table) => Object.values(table).flat())
  expect(messages.length).toBeGreaterThanOrEqual(120)
})

it('a cause counts its events, and keeps the first', () => {
  const failure = { message: 'is broken', resourceType: 'Exec' }
  const failures = ['a', 'b', 'c'].map((resourceTitle, number) => ({
    ...failure,
    number,
    resourceTitle,
  }))
  const causes = causesOf({ certname: 'node', logs: [], failures })
  expect(causes.map(({ events, event }) => [events, event])).toEqual([[3, 0]])
})
