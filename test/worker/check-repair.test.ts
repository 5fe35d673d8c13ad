/** `POST /admin/v1/check`: what follows from other rows is computed again; and what the check says of files and parameters. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { groupHours } from '../../worker/housekeeping/group-hours.ts'
import { Database } from '../../worker/store/database.ts'
import { pageAfter, problems, type CheckPage } from './check-pages.ts'
import { request, store } from './client.ts'
import { at, event, report, resource } from './reports.ts'

beforeAll(async () => {
  await store(
    report({ certname: 'plain' }),
    report({ certname: 'plain', producer_timestamp: at(60_000) }),
    report({ certname: 'released', configuration_version: 'release-7' }),
    report({ certname: 'no-uuid', transaction_uuid: 'no uuid' }),
    report({ certname: 'failing', producer_timestamp: at(-60_000) }),
    report({
      certname: 'failing',
      code_id: 'b'.repeat(40),
      status: 'failed',
      resources: [resource({ events: [event({ status: 'failure', message: 'no such package' })] })],
    }),
  )
  const closed = await closeHours(Database.primary(env.DB), Date.now())
  await groupHours(Database.primary(env.DB), Date.now(), closed)
})

describe('a repair', () => {
  const repairAll = async (): Promise<{ repair: string }[]> => {
    const found: { repair: string }[] = []
    for (let after: string | null = ''; after !== null;) {
      const page: CheckPage = await pageAfter(after, 'POST')
      found.push(...page.problems)
      after = page.next
    }
    return found
  }

  it.each([
    ['counts of hours', 'UPDATE hour_counts SET count = count + 1'],
    ['hours that are neither open nor counted', 'DELETE FROM hour_counts'],
    ['groups of hours', 'DELETE FROM hour_groups WHERE kind = 1'],
    [
      'what broke in an hour',
      `UPDATE hour_groups SET groups = '[]' WHERE kind = 4 AND environment <> 0`,
    ],
    ['counts of days', `INSERT INTO day_counts VALUES (20000, 7, '[[1,1,0,0,0,0,0,7]]')`],
    [
      'rows of nodes',
      'UPDATE nodes SET latest = NULL, state = 2, good = 4, newest = 5, runs = NULL',
    ],
    ['usual intervals', 'UPDATE nodes SET usual = 7'],
    ['marks of the history', 'DELETE FROM unarchived_days'],
  ])('computes %s again', async (_, damage) => {
    await env.DB.prepare(damage).run()
    const found = await repairAll()
    expect(new Set(found.map(({ repair }) => repair))).toEqual(new Set(['done']))
    const closed = await closeHours(Database.primary(env.DB), Date.now())
    await groupHours(Database.primary(env.DB), Date.now(), closed)
    expect((await problems()).problems).toEqual([])
  })

  it('leaves what follows from nothing else, and says what to do', async () => {
    await env.DB.prepare('CREATE TABLE was AS SELECT id, hash FROM reports').run()
    await env.DB.prepare(
      `UPDATE reports SET hash = unhex('${'ab'.repeat(20)}') WHERE id = (SELECT latest FROM nodes WHERE certname = 'no-uuid')`,
    ).run()
    expect(await repairAll()).toEqual([
      {
        invariant: 'the hash of a report is that of its contents',
        where: expect.stringContaining('of no-uuid'),
        remedy: expect.stringContaining('Restore the last backup that is good'),
        repair: 'none',
      },
    ])
    await env.DB.prepare(
      'UPDATE reports SET hash = was.hash FROM was WHERE was.id = reports.id',
    ).run()
    await env.DB.prepare('DROP TABLE was').run()
  })
})

it('files of the history that are damaged, or of which the database knows nothing, are named', async () => {
  const path = 'reports/date=2026-03-02/000.parquet'
  await env.TEST_BUCKET.put(path, 'PAR1, and nothing that follows is Parquet: PAR1')
  const found = await problems()
  await env.TEST_BUCKET.delete(path)
  expect(found.problems).toEqual([
    expect.objectContaining({
      invariant: 'a file of the history can be read',
      where: expect.stringContaining(`${path} is damaged: `),
    }),
  ])
})

it('a version that names no commit may be unknown, as earlier releases took it for none', async () => {
  await env.DB.prepare("DELETE FROM code_versions WHERE version = 'release-7'").run()
  expect((await problems()).problems).toEqual([])
})

it.each([
  ['after=reports:x', /^'reports:x' isn't a place to go on from/],
  ['after=report', /Did you mean 'reports'\?$/],
  ['before=1', /^Unsupported query parameter 'before'$/],
])('?%s: 400', async (parameters, sentence) => {
  const response = await request(`/pdb/admin/v1/check?${parameters}`)
  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(sentence)])
})
