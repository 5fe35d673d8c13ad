import { describe, expect, it } from 'vitest'
import { nearest, suggestion } from '../../worker/lib/nearest.ts'

const FIELDS = ['certname', 'status', 'start_time', 'environment', 'line']

describe('the nearest name', () => {
  it.each([
    ['statsu', 'status'],
    ['CERTNAME', 'certname'],
    ['enviroment', 'environment'],
    ['start-time', 'start_time'],
    ['lines', 'line'],
    ['lien', 'line'],
    ['lin', 'line'],
    ['', null],
    ['zork', null],
    ['x'.repeat(100_000), null],
  ])('to %.20s is %s', (name, expected) => {
    expect(nearest(name, FIELDS)).toBe(expected)
  })

  it('is the first of equally near ones', () => {
    expect(nearest('cat', ['bat', 'hat'])).toBe('bat')
  })

  it('is offered in a sentence', () => {
    expect(suggestion('statsu', FIELDS)).toBe(" Did you mean 'status'?")
    expect(suggestion('zork', FIELDS)).toBe('')
    expect(suggestion('time', FIELDS)).toBe(" Did you mean 'start_time'?")
    expect(suggestion('time', [...FIELDS, 'end_time'])).toBe(
      " Did you mean 'start_time' or 'end_time'?",
    )
    expect(suggestion('', ['_', 'a_'])).toBe('')
  })
})
