/** The checks of `npm run deploy` before it changes anything: `check-deploy.ts [wrangler.toml]`. */

import { resolve } from 'node:path'
import { readConfiguration } from './configuration.ts'

const PLACEHOLDER = '00000000-0000-0000-0000-000000000000'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const CREATE = `Create one near your nodes, and put the id it prints into wrangler.toml, as database_id below [[d1_databases]]:

  npx wrangler d1 create reports --location weur

(weur and eeur are Western and Eastern Europe, wnam and enam North America, apac Asia and Pacific, oc Oceania.) Then run npm run deploy again.`

/** Why a deployment would fail, and what to do about it; null if nothing is wrong. */
function obstacle(databaseIds: readonly string[]): string | null {
  if (databaseIds.length === 0) return `wrangler.toml names no database. ${CREATE}`
  if (databaseIds.includes(PLACEHOLDER)) {
    return `There is no database yet: database_id in wrangler.toml is still the placeholder. ${CREATE}`
  }
  const wrong = databaseIds.find((id) => !UUID.test(id))
  return wrong === undefined
    ? null
    : `The database_id "${wrong}" in wrangler.toml is no id of a database, which looks like 9f0c2b1a-….\nnpx wrangler d1 list shows those that exist.`
}

const { databaseIds } = await readConfiguration(resolve(process.argv[2] ?? 'wrangler.toml'))
const sentence = obstacle(databaseIds)
if (sentence !== null) {
  console.error(sentence)
  process.exitCode = 1
}
