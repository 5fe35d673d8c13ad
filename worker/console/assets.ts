/** The addresses of what pages link to, as `worker/local/assets.ts` has built it. */

import built from '../../dist/assets.json'

export const ASSETS = built
