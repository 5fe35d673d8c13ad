/** The build command of wrangler, which runs it before it bundles the Worker for `wrangler dev` or a deployment. */

import { buildAssets } from './assets.ts'

await buildAssets(process.cwd())
