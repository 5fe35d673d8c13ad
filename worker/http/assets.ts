/** The addresses of the built style sheet, scripts and descriptions, from `tools/build/assets.ts`. */

import built from '../../dist/assets.json'

type Asset = 'style' | 'console' | 'editor' | 'openapi'

/** A build of an older state may lie there while types are checked, so the list's own type is not relied on. */
export const ASSETS = built as Readonly<Record<Asset, string>>
