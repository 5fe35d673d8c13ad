/** Hooks and their last messages. */

import { deliveriesOf, deliveriesStatement, type Delivery } from '../store/deliveries.ts'
import { hooksOf, hooksStatement, type Hook } from '../store/hooks.ts'
import type { Asked } from './asked.ts'

export const askHooks = (): Asked<readonly Hook[]> => ({
  statements: [hooksStatement()],
  read: ([rows]) => hooksOf(rows!),
})

/** Newest first. */
export const askDeliveries = (): Asked<readonly Delivery[]> => ({
  statements: [deliveriesStatement()],
  read: ([rows]) => deliveriesOf(rows!),
})
