/** What an isolate remembers is bounded, whatever clients send, and says what it has forgotten. */

import { describe, expect, it } from 'vitest'
import { storeReports } from '../../worker/ingest/write-report.ts'
import { metricNumbers } from '../../worker/report/body-metrics.ts'
import { encodeBody } from '../../worker/report/body.ts'
import { hexOfBytes } from '../../worker/sql/encoding.ts'
import { Dictionary } from '../../worker/sql/dictionaries.ts'
import { weekNumber } from '../../worker/sql/encoding.ts'
import { Restored, type Database } from '../../worker/store/database.ts'
import {
  DictionaryCache,
  IdCache,
  Memory,
  MOST_BYTES,
  StoredSet,
} from '../../worker/store/memory.ts'
import { PendingRefusals } from '../../worker/store/pending-refusals.ts'
import { printBody } from '../../worker/store/printed-bodies.ts'

const MEGABYTE = 'x'.repeat(1_000_000)

it('the caches of an isolate hold 24 MB at most', () => {
  const { stored, idCache, dictionaries, bodies } = MOST_BYTES
  const idCaches = Object.values(new Memory()).filter((cache) => cache instanceof IdCache).length
  // Eight dictionaries: nodes, three of strings that are asked for by patterns at a time, four of resources.
  const matches = 8 * 50_000 * 8
  const frames = 400_000 * 6
  const texts = idCaches * idCache + bodies
  expect(stored + texts + dictionaries + matches + frames).toBeLessThan(24_000_000)
})

describe('rows that a report need not insert again', () => {
  it('are forgotten when they have 5 MB', () => {
    const stored = new StoredSet()
    for (let index = 0; index < 4; index++) stored.add(`${index}${MEGABYTE}`)
    expect(stored.has(`0${MEGABYTE}`)).toBe(true)
    stored.add(`4${MEGABYTE}`)
    expect([stored.has(`4${MEGABYTE}`), stored.has(`0${MEGABYTE}`)]).toEqual([true, false])
  })

  it('count by themselves too, however short they are', () => {
    const stored = new StoredSet()
    stored.add('first')
    for (let index = 0; index < 55_000; index++) stored.add(String(index))
    expect(stored.has('first')).toBe(false)
  })

  it('count twice where a character takes two bytes', () => {
    const stored = new StoredSet()
    for (let index = 0; index < 3; index++) stored.add(`${index}ü${MEGABYTE}`)
    expect(stored.has(`0ü${MEGABYTE}`)).toBe(true)
    for (let index = 3; index < 5; index++) stored.add(`${index}→${MEGABYTE}`)
    expect(stored.has(`0ü${MEGABYTE}`)).toBe(false)
  })

  it('share what they may hold', () => {
    const { stored } = new Memory()
    for (let index = 0; index < 3; index++) stored.strings.add(`${index}${MEGABYTE}`)
    for (let index = 0; index < 2; index++) stored.nodes.add(`${index}${MEGABYTE}`)
    expect(stored.strings.has(`0${MEGABYTE}`)).toBe(false)
  })
})

describe('texts by their ids', () => {
  /** Adds pages of one id each, half a megabyte long. */
  const HALF = 'x'.repeat(500_000)
  const addPages = (cache: IdCache, from: number, to: number): void => {
    for (let id = from; id <= to; id++) cache.add(id, HALF)
  }

  it('are evicted by later pages', () => {
    const cache = new IdCache()
    addPages(cache, 1, 7)
    expect([1, 3, 4, 7].map((id) => cache.get(id) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('stay while they are read', () => {
    const cache = new IdCache()
    addPages(cache, 1, 1)
    for (let id = 2; id <= 40; id++) {
      addPages(cache, id, id)
      expect(cache.get(1)).toBe(HALF)
    }
  })

  it('hold no more than their budget, however long a page is', () => {
    const cache = new IdCache()
    const ids = Array.from({ length: 30 }, (_, index) => index + 1)
    for (const id of ids) cache.add(id, HALF)
    const cached = ids.toReversed().filter((id) => cache.get(id) !== undefined)
    expect(cached.length * HALF.length).toBeLessThanOrEqual(MOST_BYTES.idCache)
    expect(cached).toContain(30)
  })
})

describe('printed bodies of reports', () => {
  const packed = ({ time, message }: { time: string; message: string }) => {
    const logs = [
      {
        level: 'notice',
        message,
        source: 'Puppet',
        tags: ['notice'],
        time,
        file: null,
        line: null,
      },
    ]
    const { metricNames, body } = encodeBody({
      metrics: [{ category: 'c', name: 'n', value: 1 }],
      logs,
    })
    return { names: metricNames, hex: hexOfBytes(body) }
  }
  const short = packed({ time: '2026-11-01T00:00:00.000Z', message: 'Applied' })
  const OTHER_NAMES = '[["c","other"]]'

  it('are printed once', () => {
    const memory = new Memory()
    const first = printBody(memory, short.names, short.hex)
    expect(JSON.parse(first.metrics)).toEqual([{ name: 'n', value: 1, category: 'c' }])
    expect(printBody(memory, short.names, short.hex)).toBe(first)
  })

  it('with other names of metrics are others', () => {
    const memory = new Memory()
    printBody(memory, short.names, short.hex)
    const { metrics } = printBody(memory, OTHER_NAMES, short.hex)
    expect(JSON.parse(metrics)).toEqual([{ name: 'other', value: 1, category: 'c' }])
  })

  it('are not kept where they are long', () => {
    const memory = new Memory()
    const long = packed({ time: '2026-11-01T00:00:00.000Z', message: 'x'.repeat(20_000) })
    printBody(memory, long.names, long.hex)
    expect(memory.bodies.isEmpty).toBe(true)
  })
})

/** A dictionary of so many texts, of a thousand characters each. */
const dictionaryOf = (count: number): Dictionary => {
  const dictionary = new Dictionary()
  for (let id = 1; id <= count; id++) dictionary.add(id, 'x'.repeat(1000))
  return dictionary
}

describe('dictionaries', () => {
  it('are kept up to 5 MB', () => {
    const cache = new DictionaryCache()
    cache.set('kept', dictionaryOf(4800))
    expect(cache.get('kept')?.highest).toBe(4800)
    cache.set('large', dictionaryOf(4810))
    expect(cache.isEmpty).toBe(true)
    expect(cache.get('large')).toBeUndefined()
  })

  it('make room for those that are used later', () => {
    const cache = new DictionaryCache()
    for (const name of ['first', 'second', 'third']) cache.set(name, dictionaryOf(1500))
    expect(cache.get('first')?.highest).toBe(1500)
    cache.set('fourth', dictionaryOf(1500))
    const names = ['first', 'second', 'third', 'fourth'].filter((name) => cache.get(name))
    expect(names).toEqual(['first', 'third', 'fourth'])
  })

  it('are dropped when they grow beyond', () => {
    const cache = new DictionaryCache()
    const dictionary = dictionaryOf(4800)
    cache.set('growing', dictionary)
    for (let id = 4801; id <= 4810; id++) dictionary.add(id, 'x'.repeat(1000))
    expect(cache.get('growing')).toBeUndefined()
  })

  it('are read again as long as they have no text, and where some were dropped', () => {
    const cache = new DictionaryCache()
    cache.set('empty', dictionaryOf(0))
    const partial = dictionaryOf(10)
    partial.dropTexts()
    partial.add(11, 'more')
    cache.set('partial', partial)
    expect([cache.get('empty'), cache.get('partial')]).toEqual([undefined, undefined])
  })
})

describe('matches of patterns in a dictionary', () => {
  it('are forgotten when a hundred patterns are cached', () => {
    const { trials } = new Dictionary()
    const first = trials.of('first')
    for (let index = 0; index < 99; index++) trials.of(String(index))
    expect(trials.of('first')).toBe(first)
    trials.of('one more')
    expect(trials.of('first')).not.toBe(first)
  })

  it('are forgotten when they have 50,000 ids', () => {
    const { trials } = new Dictionary()
    const first = trials.of('first')
    for (let id = 0; id <= 50_000; id++) first.matches.push(id)
    trials.of('one more')
    expect(trials.of('first')).not.toBe(first)
  })

  it('are not cached for a pattern of more than 10,000 characters', () => {
    const { trials } = new Dictionary()
    const [longest, longer] = ['x'.repeat(10_000), 'x'.repeat(10_001)]
    expect(trials.of(longest)).toBe(trials.of(longest))
    expect(trials.of(longer)).not.toBe(trials.of(longer))
  })
})

describe('lists of metric names', () => {
  it('are forgotten when they have 400,000 characters', () => {
    const placesOf = (name: string) => metricNumbers(JSON.stringify([['time', name]]), ['1']).places
    const first = placesOf('first')
    expect(placesOf('first')).toBe(first)
    for (let index = 0; index < 5; index++) placesOf(`${index}${'x'.repeat(90_000)}`)
    placesOf('one more')
    expect(placesOf('first')).not.toBe(first)
  })
})

it('refusals that wait for the database are few, whatever their reasons quote, and none is left out', () => {
  const pending = new PendingRefusals()
  for (let n = 0; n < 10_000; n++) {
    pending.add({ sender: `s${n % 3}`, certname: `web${n}`, reason: `not ${n}`, count: 1 })
  }
  const refusals = pending.take(0)
  expect(refusals.length).toBeLessThanOrEqual(50)
  expect(refusals.reduce((sum, { count }) => sum + count, 0)).toBe(10_000)
})

describe('reports whose isolate remembers what the database does not know', () => {
  it.each([
    [new Error('D1_ERROR: NOT NULL constraint failed'), 3, 2],
    [new Restored(), 3, 0],
    [new Error('D1_ERROR: no such table'), 1, 0],
  ])('after "%s" are tried %i times', async (error, attempts, forgotten) => {
    let [sent, forgets] = [0, 0]
    const memory = new Memory()
    // A new week makes it forget, too.
    memory.beginWeek(weekNumber(0))
    Object.assign(memory, { forget: () => void forgets++ })
    const database: Partial<Database> = {
      memory,
      batchOnMemory() {
        sent++
        return Promise.reject(error)
      },
    }
    await expect(storeReports(database as Database, [], 0)).rejects.toBe(error)
    expect([sent, forgets]).toEqual([attempts, forgotten])
  })
})
