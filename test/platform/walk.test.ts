/**
 * A fleet walks through the platform: batches fail before and after their commit, at any statement; isolates are evicted, a
 * replica lags, the database is restored, housekeeping runs into its walls. What was answered 200 is stored once, as sent.
 */

import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { wrongIn } from '../soundness.ts'
import { NOON, type Payload } from '../worker/reports.ts'
import type { Snapshot } from './database-object.ts'
import { failedEvents, HOUR, reportAt } from './fleet.ts'
import { Platform } from './platform.ts'

beforeAll(() => {
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockReturnValue(undefined)
  }
})
afterAll(() => vi.restoreAllMocks())

/** The same numbers for the same seed, from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const LOST = 'D1_ERROR: Network connection lost.'
const TIMEOUT =
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.'

const STEPS = 120

/** The producer of each report by node and time. */
type Stored = Map<string, string>

class Walk {
  private stored: Stored = new Map()
  private saved: { readonly snapshot: Snapshot; readonly stored: Stored } | null = null
  private hours = 0
  private steps = 0

  constructor(
    private readonly platform: Platform,
    private readonly random: () => number,
  ) {}

  private draw(most: number): number {
    return Math.floor(this.random() * most)
  }

  /** A sender sends until it is answered 200. */
  private async send(): Promise<void> {
    const certname = `web${this.draw(5)}`
    const time = NOON + this.draw(48) * (HOUR / 4)
    // New every few steps, so that a restore takes back names that the isolate still remembers, and that come again.
    const producer = `name ${Math.floor(this.steps / 12)}`
    const parts: Payload = this.random() < 0.3 ? failedEvents(1 + this.draw(3)) : {}
    // A node has one report of a time here, so that the walk knows each.
    const name = `${certname} ${time}`
    const payload = reportAt(certname, time, {
      ...parts,
      // A name that may be null: nothing but its own check notices where it is.
      producer,
      transaction_uuid: null,
    })
    if (this.stored.has(name)) return
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, body } = await this.platform.submit(payload)
      if (status === 200) return void this.stored.set(name, producer)
      expect([status, body]).toEqual([503, expect.stringMatching(/again|restored/)])
      this.calm()
    }
    throw new Error('The report was not stored.')
  }

  private calm(): void {
    Object.assign(this.platform.conditions, { failures: [], failing: null, answersLost: false })
  }

  private trouble(): void {
    const { conditions } = this.platform
    const kind = this.draw(4)
    if (kind === 0) conditions.failing = { statement: this.draw(8), message: TIMEOUT }
    if (kind > 0) conditions.failures = Array.from({ length: 1 + this.draw(5) }, () => LOST)
    conditions.answersLost = kind === 2
  }

  private async keepHouse(): Promise<void> {
    this.hours++
    this.platform.conditions.mostRows = this.random() < 0.5 ? 150 : Infinity
    // A run that D1 ends goes on in the next hour.
    await this.platform.tick(NOON + 13 * HOUR + this.hours * HOUR).catch(() => undefined)
    this.platform.conditions.mostRows = Infinity
  }

  private async save(): Promise<void> {
    this.saved = { snapshot: await this.platform.snapshot(), stored: new Map(this.stored) }
  }

  private async restore(): Promise<void> {
    if (this.saved === null) return
    await this.platform.restore(this.saved.snapshot)
    this.stored = new Map(this.saved.stored)
  }

  private async ask(): Promise<void> {
    expect(await this.read()).toEqual(this.stored)
  }

  /** What the service answers of all reports. */
  private async read(): Promise<Stored> {
    const rows = await this.platform.ask<Record<string, string>>('reports', {
      query: ['extract', ['certname', 'producer_timestamp', 'producer']],
    })
    const found = rows.map((row): [string, string] => [
      `${row['certname']} ${Date.parse(row['producer_timestamp']!)}`,
      row['producer']!,
    ])
    expect(new Set(found.map(([name]) => name)).size).toBe(rows.length)
    return new Map(found)
  }

  async step(): Promise<void> {
    this.steps++
    const way = this.random()
    if (way < 0.6) await this.send()
    else if (way < 0.7) this.trouble()
    else if (way < 0.78) this.platform.evict()
    else if (way < 0.84) await this.keepHouse()
    else if (way < 0.89) await this.save()
    else if (way < 0.95) await this.restore()
    else {
      this.calm()
      await this.ask()
    }
  }

  async end(): Promise<void> {
    this.calm()
    await this.keepHouse()
    expect(await wrongIn(this.platform.binding)).toEqual({})
    expect(await this.read()).toEqual(this.stored)
  }
}

it.each([1, 2])('what a fleet was answered is stored, whatever happens: seed %i', async (seed) => {
  const settings = { REPORT_TTL: '0', NODE_TTL: '0', NODE_PURGE_TTL: '0' }
  const walk = new Walk(await Platform.deploy(settings), randomFrom(seed))
  for (let step = 0; step < STEPS; step++) await walk.step()
  await walk.end()
})
