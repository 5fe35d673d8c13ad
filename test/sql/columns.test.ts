import { sql } from 'drizzle-orm'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  flag,
  integer,
  json,
  keyTime,
  nullable,
  selectList,
  selectText,
  text,
  typed,
  type RowOf,
} from '../../worker/sql/columns.ts'
import { render } from '../../worker/sql/render.ts'

const RUN = {
  certname: text('n.certname'),
  events: integer('r.events'),
  noop: flag('r.noop'),
  path: json<string[], string>('s.path'),
  producerTimestamp: keyTime('r.id'),
  endedAt: nullable(keyTime('r.next')),
  file: nullable(text<'a' | 'b', string>('w.value')),
}

describe('columns', () => {
  it('make the select list as text', () => {
    expect(selectText({ certname: text('n.certname'), events: integer('r.events') })).toBe(
      'n.certname as "certname", r.events as "events"',
    )
  })

  it('make the select list as a fragment, with its parameters', () => {
    const columns = { named: flag(sql`n.certname = ${'web1'}`), events: integer('r.events') }
    expect(render(sql`select ${selectList(columns)} from reports r`)).toEqual({
      sql: 'select n.certname = ? as "named", r.events as "events" from reports r',
      params: ['web1'],
    })
  })

  it('decode a row by the names of its columns', () => {
    const statement = typed(RUN, { sql: 'select …', params: [1] })
    const stored = {
      certname: 'web1',
      events: 3,
      noop: 0,
      path: '["Stage[main]"]',
      producerTimestamp: -1024 * 5 - 1,
      endedAt: null,
      file: null,
    }
    expect(statement.sql).toBe('select …')
    expect(statement.decode(stored)).toEqual({
      certname: 'web1',
      events: 3,
      noop: false,
      path: ['Stage[main]'],
      producerTimestamp: -6,
      endedAt: null,
      file: null,
    })
  })

  it('give a row its type', () => {
    expectTypeOf<RowOf<typeof RUN>>().toEqualTypeOf<{
      readonly certname: string
      readonly events: number
      readonly noop: boolean
      readonly path: string[]
      readonly producerTimestamp: number
      readonly endedAt: number | null
      readonly file: 'a' | 'b' | null
    }>()
  })
})
