/** Builds the console's assets before the first file of the project runs. */

import { join } from 'node:path'
import { buildAssets } from '../../tools/build/assets.ts'

export const setup = async (): Promise<void> => {
  await buildAssets(join(import.meta.dirname, '../..'))
}
