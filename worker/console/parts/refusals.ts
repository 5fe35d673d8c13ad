/** Recently refused commands: most senders show the reason to nobody. */

import { formatTimestamp } from '../../lib/time.ts'
import type { NotedRefusal } from '../../store/refusals.ts'
import { nodeAddress } from '../address.ts'
import { html, type Html } from '../html.ts'
import { number } from '../format.ts'
import { nothing } from './list.ts'
import { table } from './table.ts'
import { when } from './time.ts'

/** @param now in ms */
export const refusalTable = (refusals: readonly NotedRefusal[], now: number): Html =>
  refusals.length === 0
    ? nothing('No refused commands.')
    : table<NotedRefusal>(refusals, [
        ['Last time', 'name', ({ last }) => when(formatTimestamp(last), now)],
        [
          'Node',
          'labelled',
          ({ certname }) =>
            certname === ''
              ? 'not named'
              : html`<a href="${nodeAddress(certname)}">${certname}</a>`,
        ],
        ['Sender', 'labelled', ({ sender }) => (sender === '' ? 'not known' : sender)],
        ['Reason', 'labelled', ({ reason }) => reason],
        ['Times', 'n labelled', ({ count }) => number(count)],
        ['First time', 'labelled', ({ first }) => when(formatTimestamp(first), now)],
      ])
