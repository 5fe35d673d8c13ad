/** Gives each test file an empty database with the migrations applied and an empty bucket, as a new deployment has them. */

import { env } from 'cloudflare:workers'
import { emptyDatabase } from './migrated-database.ts'

await emptyDatabase()

const { objects } = await env.TEST_BUCKET.list()
if (objects.length > 0) await env.TEST_BUCKET.delete(objects.map(({ key }) => key))
