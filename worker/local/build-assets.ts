/** What wrangler runs before it bundles the Worker, for `wrangler dev` and for a deployment. */

import { buildAssets } from './assets.ts'

await buildAssets(process.cwd())
