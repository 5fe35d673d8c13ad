import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { BoundedLines } from '../../worker/lib/bounded-lines.ts'

const written: unknown[] = []
beforeEach(() => {
  vi.useFakeTimers({ now: 1_767_225_600_000 })
  written.length = 0
  for (const level of ['info', 'warn'] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => {
      written.push(JSON.parse(line))
    })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('one line a minute is written, and how many were not', () => {
  const lines = new BoundedLines('requests')
  const times = [0, 1, 59_999, 60_000, 60_001]
  for (const time of times) {
    vi.setSystemTime(1_767_225_600_000 + time)
    lines.write('info', { time })
  }
  expect(written).toEqual([
    { level: 'info', time: 0 },
    { level: 'warn', message: 'requests, not logged', count: 2 },
    { level: 'info', time: 60_000 },
  ])
})

it('a clock that was set back does not make it quiet for longer', () => {
  const lines = new BoundedLines('requests')
  lines.write('info', { time: 0 })
  vi.setSystemTime(1_767_225_600_000 - 1)
  lines.write('info', { time: -1 })
  expect(written).toHaveLength(2)
})
