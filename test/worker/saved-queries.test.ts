/** Queries that come with the service, and those that someone saves. */

import { expect, describe, it } from 'vitest'
import { ask, request } from './client.ts'
import { closed, tokenLine } from './closed.ts'

const put = (name: string, body: unknown) =>
  request(`/insight/v1/queries/${name}`, { method: 'PUT', body: JSON.stringify(body) })
const saved = async () =>
  (await ask('/insight/v1/queries')).filter(({ preset }: { preset: boolean }) => !preset)

describe('presets', () => {
  it('are queries that are answered', async () => {
    const presets = await ask('/insight/v1/queries')
    expect(presets.length).toBeGreaterThan(3)
    for (const { query } of presets) expect(await ask('/query/v4', { query })).toEqual([])
  })
})

describe('a query', () => {
  it('is saved, changed and deleted', async () => {
    expect((await put('mine', { title: 'Mine', query: 'nodes {}' })).status).toBe(204)
    expect((await put('mine', { title: 'Still mine', query: 'reports {}' })).status).toBe(204)
    expect(await saved()).toMatchObject([
      { name: 'mine', title: 'Still mine', query: 'reports {}' },
    ])
    const remove = () => request('/insight/v1/queries/mine', { method: 'DELETE' })
    expect([(await remove()).status, (await remove()).status, await saved()]).toEqual([
      204,
      404,
      [],
    ])
  })

  it.each<[name: string, body: unknown, sentence: string]>([
    ['Mine', { title: 'x', query: 'nodes {}' }, "A query can't be called 'Mine'"],
    [
      'drift',
      { title: 'x', query: 'nodes {}' },
      "'drift' comes with the service and can't be changed.",
    ],
    ['mine', { title: ' ', query: 'nodes {}' }, 'A query needs a title of at most 200 characters.'],
    ['mine', { query: 'nodes {}' }, 'The body must be JSON such as {"title"'],
    ['mine', { title: 'x', query: 'nodes {' }, 'PQL'],
    ['mine', { title: 'x', query: 'nodes { stauts = 1 }' }, "'stauts' is not a queryable object"],
  ])('%s %j is refused', async (name, body, sentence) => {
    const response = await put(name, body)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(sentence)
    expect(await saved()).toEqual([])
  })

  it.each([
    ['reader', 403],
    ['tenant', 403],
    ['on-call', 204],
    ['boss', 204],
  ])('is changed by operators and administrators only: %s gets %i', async (name, status) => {
    const service = closed({
      TOKENS: [
        tokenLine('reader', 'read'),
        tokenLine('on-call', 'operate'),
        tokenLine('tenant', 'operate', 'environment=production'),
        tokenLine('boss', 'admin'),
      ].join('\n'),
    })
    const init = { method: 'PUT', body: '{"title":"x","query":"nodes {}"}' }
    const [found] = await service.as(name, '/insight/v1/queries/x', init)
    expect(found).toBe(status)
  })
})

it('the schema lists the fields of queries', async () => {
  const { entities } = await ask('/insight/v1/schema')
  const reports = entities.find(({ name }: { name: string }) => name === 'reports')
  expect(reports.fields).toContainEqual({
    name: 'agent_version',
    alias: 'puppet_version',
    kind: 'string',
    queryable: true,
    projectable: true,
  })
  expect(reports.related).toContain('events')
})
