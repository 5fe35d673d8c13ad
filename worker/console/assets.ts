/** The addresses of the built style sheet and scripts, from `worker/local/assets.ts`. */

import built from '../../dist/assets.json'

export const ASSETS = built
