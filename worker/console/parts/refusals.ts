/** Recently refused commands: most senders show the reason to nobody. */

import { formatTimestamp } from '../../lib/time.ts'
import type { NotedRefusal } from '../../store/refusals.ts'
import { nodeAddress } from '../address.ts'
import { html, type Html } from '../html.ts'
import { number } from '../format.ts'
import { nothing } from './list.ts'
import { table } from './plain-table.ts'
import { when } from './time.ts'

/** @param now in ms */
export const refusalTable = (refusals: readonly NotedRefusal[], now: number): Html =>
  refusals.length === 0
    ? nothing('No refused commands.')
    : table(
        ['Last time', 'Node', 'Sender', 'Reason', 'Times', 'First time'],
        refusals.map(({ sender, certname, reason, first, last, count }) => [
          when(formatTimestamp(last), now),
          certname === '' ? 'not named' : html`<a href="${nodeAddress(certname)}">${certname}</a>`,
          sender === '' ? 'not known' : sender,
          reason,
          number(count),
          when(formatTimestamp(first), now),
        ]),
      )
