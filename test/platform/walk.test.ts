/**
 * A fleet and a hostile sender walk through the platform: batches fail before and after their commit, at any statement;
 * isolates are evicted, the database is full, a replica lags, the database is restored, housekeeping runs into its walls. What
 * was answered 200 is stored once, as sent, and no answer is an internal error.
 */

import { beforeAll, expect, it, vi } from 'vitest'
import { wrongIn } from '../soundness.ts'
import { JSON_TYPE, parametersOf } from '../worker/client.ts'
import { tokenLine } from '../worker/closed.ts'
import { NOON, type Payload } from '../worker/reports.ts'
import type { Snapshot } from './database-object.ts'
import { failedEvents, HOUR, reportAt } from './fleet.ts'
import { HOSTILE_COMMANDS } from './hostile-commands.ts'
import { Platform, type Answered } from './platform.ts'

beforeAll(() => {
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockReturnValue(undefined)
  }
})

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

const STEPS = 160

/** Keeps all; a token for each of two tenants. */
const SETTINGS = {
  ACCESS: 'closed',
  TOKENS: [
    tokenLine('fleet', 'read,submit', 'certname=web*'),
    tokenLine('hostile', 'read,submit', 'certname=evil*'),
  ].join('\n'),
  REPORT_TTL: '0',
  NODE_TTL: '0',
  NODE_PURGE_TTL: '0',
}

/** What a sender is told where the platform is in the way. */
const COME_BACK = /again|restored|largest size/

const KINDS = Object.keys(HOSTILE_COMMANDS)

/** The producer of each report by node and time. */
type Stored = Map<string, string>

class Walk {
  private stored: Stored = new Map()
  private saved: { readonly snapshot: Snapshot; readonly stored: Stored } | null = null
  private hours = 0
  private steps = 0
  /** Every report that was ever stored: a replica may have one that a restore took back. */
  private readonly everStored: [string, string][] = []

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
    this.platform.token = 'fleet'
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, body } = await this.platform.submit(payload)
      if (status === 200) {
        this.everStored.push([name, producer])
        return void this.stored.set(name, producer)
      }
      expect([status, body]).toEqual([503, expect.stringMatching(COME_BACK)])
      this.calm()
    }
    throw new Error('The report was not stored.')
  }

  /** A hostile sender is refused by a sentence, or taken at its word. */
  private async sendHostile(): Promise<void> {
    const kind = KINDS[this.draw(KINDS.length)]!
    const { parameters, body, status } = HOSTILE_COMMANDS[kind]!(this.steps)
    const init = { method: 'POST', headers: JSON_TYPE, body }
    this.platform.token = 'hostile'
    const outcome = await this.platform.request(`/pdb/cmd/v1?${parametersOf(parameters)}`, init)
    const expectedText = outcome.status === 503 ? COME_BACK : /^(?!Internal error)./s
    expect([kind, outcome.status, outcome.body]).toEqual([
      kind,
      outcome.status === 503 ? 503 : status,
      expect.stringMatching(expectedText),
    ])
  }

  private calm(): void {
    Object.assign(this.platform.conditions, {
      failures: [],
      failing: null,
      answersLost: false,
      mostBytes: Infinity,
    })
  }

  private async fill(): Promise<void> {
    this.platform.conditions.mostBytes = await this.platform.bytes()
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

  /** Whoever asks for the primary sees all that was answered 200; others may see an earlier moment. */
  private async ask(): Promise<void> {
    expect(await this.read('first-primary')).toEqual(this.stored)
    const seen = await this.read('first-unconstrained')
    expect(this.everStored).toEqual(expect.arrayContaining([...seen]))
  }

  /** What the service answers the fleet of all reports. */
  private async read(bookmark: string): Promise<Stored> {
    const parameters = { query: ['extract', ['certname', 'producer_timestamp', 'producer']] }
    const path = `/pdb/query/v4/reports?${parametersOf(parameters)}`
    this.platform.token = 'fleet'
    const answer = await this.answered(path, { headers: { 'x-d1-bookmark': bookmark } })
    const found = (JSON.parse(answer.body) as Record<string, string>[]).map(
      (row): [string, string] => [
        `${row['certname']} ${Date.parse(row['producer_timestamp']!)}`,
        row['producer']!,
      ],
    )
    expect(new Set(found.map(([name]) => name)).size).toBe(found.length)
    return new Map(found)
  }

  /** A request that must be answered, at the second try where the first noticed a restore. */
  private async answered(path: string, init: RequestInit): Promise<Answered> {
    const first = await this.platform.request(path, init)
    const answer = first.status === 503 ? await this.platform.request(path, init) : first
    expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, ''])
    return answer
  }

  async step(): Promise<void> {
    this.steps++
    const way = this.random()
    if (way < 0.45) await this.send()
    else if (way < 0.6) await this.sendHostile()
    else if (way < 0.7) this.trouble()
    else if (way < 0.73) await this.fill()
    else if (way < 0.76) await this.platform.lag()
    else if (way < 0.82) this.platform.evict()
    else if (way < 0.87) await this.keepHouse()
    else if (way < 0.9) await this.save()
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
    await this.ask()
  }
}

it.each([1, 2])(
  'what a fleet was answered is stored and stays its own, whatever happens: seed %i',
  async (seed) => {
    const walk = new Walk(await Platform.deploy(SETTINGS), randomFrom(seed))
    for (let step = 0; step < STEPS; step++) await walk.step()
    await walk.end()
  },
)
