/** Gives each test file an empty database with the migrations applied and an empty bucket, as a new deployment has them. */

import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { forgetDatabase } from '../../worker/store/database.ts'

const { results } = await env.DB.prepare(
  "SELECT name, type FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
).all<{ name: string }>()
if (results.length > 0) {
  await env.DB.batch(results.map(({ name }) => env.DB.prepare(`DROP TABLE "${name}"`)))
}
forgetDatabase(env.DB)
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)

const { objects } = await env.TEST_BUCKET.list()
if (objects.length > 0) await env.TEST_BUCKET.delete(objects.map(({ key }) => key))
