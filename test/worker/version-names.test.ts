/** The migration that names versions finds in stored texts what the code finds in new ones. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { versionIn } from '../../worker/lib/code-version.ts'

const COMMIT = 'b71fe02c0b1c2d3e4f5061728394a5b6c7d8e9f0'
const TEXTS = [
  COMMIT,
  `production-${COMMIT}`,
  `urn:puppet:code-id:1:${COMMIT};feature_abc1234`,
  `abc1234-${COMMIT}-${COMMIT.replace('b', 'c')}`,
  'compiler1.example.com-production-0c1d2e3f4a5',
  '3f2a1b4c5d6e-feature_abc1234-0C1D2E3F4A5',
  'production-1234567',
  'deadbeef',
  'a1b2c3',
  'xa1b2c3d4',
  'a1b2c3d4é',
  'v1.2.3',
  'release 4/x y',
  'compiler1-production-1772431200',
  '1772431200123-abcdef1',
  'build-20260302-1200-abcdef1',
  'sha-' + 'f'.repeat(64),
  'sha-' + 'f'.repeat(65),
  '',
]

it('the migration names a version as the code does', async () => {
  const migration = env.TEST_MIGRATIONS.find(({ name }) => name.includes('version_names'))!
  const [update] = migration.queries.filter((query) => /update code_versions/i.test(query))
  await env.DB.prepare(
    'insert into code_versions (environment, version, first, used) select 1, value, 0, 0 from json_each(?1)',
  )
    .bind(JSON.stringify(TEXTS))
    .run()
  await env.DB.prepare(update!).run()
  const { results } = await env.DB.prepare(
    'select version, coalesce(name, version) as name from code_versions order by version',
  ).all<{ version: string; name: string }>()
  expect(results.map(({ version, name }) => [version, name])).toEqual(
    TEXTS.toSorted().map((text) => [text, versionIn(text)]),
  )
})
