/** When a day is archived. */

import { DAY } from '../lib/time.ts'

/** A day is archived when it has been over for so long that hardly any report of it is under way. */
export const SETTLED_MS = DAY
