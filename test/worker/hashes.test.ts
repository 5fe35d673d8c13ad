/** Hashes that begin alike: their index holds no more than the beginning, and the right report is found all the same. */

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import { ask, request, store } from './client.ts'
import { at, event, report, resource } from './reports.ts'

const BEGINNING = '0123456789ab'
const one = `${BEGINNING}${'0'.repeat(28)}`
const other = `${BEGINNING}${'f'.repeat(28)}`
const neither = `${BEGINNING}${'7'.repeat(28)}`

beforeAll(async () => {
  for (const [certname, hash] of [
    ['one', one],
    ['other', other],
  ] as const) {
    const resources = [resource({ resource_title: certname, events: [event()] })]
    await store(report({ certname, status: 'changed', resources }))
    await env.DB.prepare(
      'UPDATE reports SET hash = unhex(?1) WHERE id = (SELECT latest FROM nodes WHERE certname = ?2)',
    )
      .bind(hash, certname)
      .run()
  }
})

it.each<[query: unknown, certnames: string[]]>([
  [['=', 'hash', one], ['one']],
  [['=', 'hash', other], ['other']],
  [['=', 'hash', neither], []],
  [['not', ['=', 'hash', one]], ['other']],
  [['in', 'hash', ['array', [other, neither]]], ['other']],
  [
    ['in', 'hash', ['array', [one, other]]],
    ['one', 'other'],
  ],
  [['in', 'hash', ['from', 'events', ['extract', 'report', ['=', 'report', one]]]], ['one']],
])('reports %j', async (query, certnames) => {
  const rows = await ask('/query/v4/reports', {
    query: ['extract', 'certname', query],
    order_by: '[{"field":"certname"}]',
  })
  expect(rows.map((row: { certname: string }) => row.certname)).toEqual(certnames)
})

it.each<[path: string, query: unknown, titles: string[]]>([
  [`/reports/${one}/events`, undefined, ['one']],
  [`/reports/${other}/events`, undefined, ['other']],
  ['/events', ['=', 'report', other], ['other']],
  ['/events', ['in', 'report', ['array', [one]]], ['one']],
])('%s of %j', async (path, query, titles) => {
  const rows = await ask(`/query/v4${path}`, query === undefined ? {} : { query })
  expect(rows.map((row: { resource_title: string }) => row.resource_title)).toEqual(titles)
})

it.each<[path: string, status: number]>([
  [`/query/v4/reports/${one}/metrics`, 200],
  [`/query/v4/reports/${other}/logs`, 200],
  [`/query/v4/reports/${neither}/logs`, 404],
  [`/insight/v1/reports/${one}`, 200],
  [`/insight/v1/reports/${neither}`, 404],
])('%s: %i', async (path, status) => {
  const response = await request(path)
  await response.text()
  expect(response.status).toBe(status)
})

it.each<[digits: string, hashes: string[]]>([
  [BEGINNING.slice(0, 4), [one, other]],
  [BEGINNING, [one, other]],
  [`${BEGINNING}0`, [one]],
  [`${BEGINNING}ff`, [other]],
  [`${BEGINNING}7`, []],
  [other, [other]],
])('looking for %s', async (digits, hashes) => {
  const { hits } = await ask('/insight/v1/search', { q: digits })
  const reports = hits.filter(({ group }: { group: string }) => group === 'report')
  expect(reports.map(({ id }: { id: string }) => id).toSorted()).toEqual(hashes)
})

it('a report is stored beside one that begins alike, and once', async () => {
  const body = report({ certname: 'third', producer_timestamp: at(1) })
  const stored = () => ask('/query/v4/reports', { query: ['=', 'certname', 'third'] })
  await store(body)
  const [{ hash }] = await stored()
  await env.DB.prepare('UPDATE reports SET hash = unhex(?1) WHERE hash = unhex(?2)')
    .bind(hash.slice(0, 12).padEnd(40, '0'), hash)
    .run()
  await store(body, body)
  expect(await stored()).toHaveLength(2)
})
