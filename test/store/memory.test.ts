/** What an isolate remembers is bounded, whatever clients send, and says what it has forgotten. */

import { describe, expect, it } from 'vitest'
import { metricNumbers } from '../../worker/report/body-metrics.ts'
import { Dictionary } from '../../worker/sql/dictionaries.ts'
import { DictionaryCache, IdCache, StoredSet } from '../../worker/store/memory.ts'

const MEGABYTE = 'x'.repeat(1_000_000)

describe('rows that a report need not insert again', () => {
  it('are forgotten when they have 10 MB', () => {
    const stored = new StoredSet()
    for (let index = 0; index < 10; index++) stored.add(`${index}${MEGABYTE}`)
    expect(stored.has(`0${MEGABYTE}`)).toBe(true)
    stored.add('one more')
    expect([stored.has('one more'), stored.has(`0${MEGABYTE}`)]).toEqual([true, false])
  })

  it('count by themselves too, however short they are', () => {
    const stored = new StoredSet()
    stored.add('first')
    for (let index = 0; index < 110_000; index++) stored.add(String(index))
    expect(stored.has('first')).toBe(false)
  })
})

describe('texts by their ids', () => {
  /** Adds pages of one id each, a megabyte long. */
  const addPages = (cache: IdCache, from: number, to: number): void => {
    for (let id = from; id <= to; id++) {
      cache.makeRoom()
      cache.add(id, MEGABYTE)
    }
  }

  it('are evicted by later pages', () => {
    const cache = new IdCache()
    addPages(cache, 1, 12)
    expect([1, 5, 6, 12].map((id) => cache.get(id) !== undefined)).toEqual([
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
      expect(cache.get(1)).toBe(MEGABYTE)
    }
  })

  it('are never evicted by their own page', () => {
    const cache = new IdCache()
    cache.makeRoom()
    for (let id = 1; id <= 30; id++) cache.add(id, MEGABYTE)
    expect([1, 30].map((id) => cache.get(id) !== undefined)).toEqual([true, true])
  })
})

const dictionaryOf = (count: number): Dictionary => {
  const dictionary = new Dictionary()
  for (let id = 1; id <= count; id++) dictionary.add(id, 'text')
  return dictionary
}

describe('dictionaries', () => {
  it('are kept up to 200,000 texts', () => {
    const cache = new DictionaryCache()
    cache.set('kept', dictionaryOf(200_000))
    cache.set('large', dictionaryOf(200_001))
    expect([cache.get('kept')?.highest, cache.get('large')]).toEqual([200_000, undefined])
  })

  it('are dropped when they grow beyond', () => {
    const cache = new DictionaryCache()
    const dictionary = dictionaryOf(200_000)
    cache.set('growing', dictionary)
    dictionary.add(200_001, 'text')
    expect(cache.get('growing')).toBeUndefined()
  })

  it('are read again as long as they have no text', () => {
    const cache = new DictionaryCache()
    cache.set('empty', dictionaryOf(0))
    expect(cache.get('empty')).toBeUndefined()
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

  it('are forgotten when they have 500,000 ids', () => {
    const { trials } = new Dictionary()
    const first = trials.of('first')
    for (let id = 0; id <= 500_000; id++) first.matches.push(id)
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
  it('are forgotten when there are 200', () => {
    const placesOf = (name: string) => metricNumbers(JSON.stringify([['time', name]]), ['1']).places
    const first = placesOf('first')
    expect(placesOf('first')).toBe(first)
    for (let index = 0; index < 200; index++) placesOf(String(index))
    expect(placesOf('first')).not.toBe(first)
  })
})
