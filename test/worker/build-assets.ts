/** Builds the console's assets before the first file of the project runs. */

import { join } from 'node:path'
import { buildAssets } from '../../worker/local/assets.ts'

export const setup = (): Promise<void> => buildAssets(join(import.meta.dirname, '../..'))
