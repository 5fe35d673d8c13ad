/** Hooks and their last deliveries. */

import { batchRead, type BatchRead } from '../store/batch-read.ts'
import { deliveriesStatement, type Delivery } from '../store/deliveries.ts'
import { hooksStatement, type Hook } from '../store/hooks.ts'

export const hooksRead = (): BatchRead<readonly Hook[]> =>
  batchRead([hooksStatement()], ([hooks]) => hooks)

/** Newest first. */
export const deliveriesRead = (): BatchRead<readonly Delivery[]> =>
  batchRead([deliveriesStatement()], ([deliveries]) => deliveries)
