/** Hooks and their last messages. */

import { batchRead, type BatchRead } from '../store/batch-read.ts'
import { deliveriesStatement, type Delivery } from '../store/deliveries.ts'
import { hooksStatement, type Hook } from '../store/hooks.ts'

export const askHooks = (): BatchRead<readonly Hook[]> =>
  batchRead([hooksStatement()], ([hooks]) => hooks)

/** Newest first. */
export const askDeliveries = (): BatchRead<readonly Delivery[]> =>
  batchRead([deliveriesStatement()], ([deliveries]) => deliveries)
