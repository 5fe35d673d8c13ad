/** Who has access by tokens, and what was refused lately: most senders show the reason to nobody. */

import type { StoredToken } from '../../access/tokens.ts'
import { commandText } from '../../lib/command-text.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { NotedRefusal } from '../../store/refusals.ts'
import { nodeAddress } from '../address.ts'
import { listed } from '../format.ts'
import { html, type Html } from '../html.ts'
import { card, nothing } from './list.ts'
import { tableCard } from './list-card.ts'
import { table } from './table.ts'
import { when } from './time.ts'

/** @param now in ms */
export const accessCards = (
  refusals: readonly NotedRefusal[],
  tokens: readonly StoredToken[],
  now: number,
): Html => html`${refusalCard(refusals, now)} ${tokenCard(tokens, now)}`

const refusalCard = (refusals: readonly NotedRefusal[], now: number): Html =>
  tableCard<NotedRefusal>(
    { name: 'Refused commands', id: 'refused' },
    refusals,
    [
      ['Last time', 'name', ({ last }) => when(formatTimestamp(last), now)],
      [
        'Node',
        'labelled',
        ({ certname }) =>
          certname === '' ? 'not named' : html`<a href="${nodeAddress(certname)}">${certname}</a>`,
      ],
      ['Sender', 'labelled', ({ sender }) => (sender === '' ? 'not known' : sender)],
      ['Reason', 'labelled', ({ reason }) => reason],
      'count',
      ['First time', 'labelled', ({ first }) => when(formatTimestamp(first), now)],
    ],
    'No refused commands.',
  )

const namesOf = (names: readonly string[] | null | undefined): string => names?.join(', ') ?? 'all'

const tokenCard = (tokens: readonly StoredToken[], now: number): Html =>
  card(
    { name: 'Access tokens', id: 'tokens' },
    html`${
        tokens.length === 0
          ? nothing('No tokens.')
          : table<StoredToken>(tokens, [
              ['Name', 'name', ({ principal }) => principal.name],
              ['Scopes', 'labelled', ({ principal }) => listed([...principal.scopes])],
              ['Nodes', 'labelled', (one) => namesOf(one.principal.restrictions?.certnames)],
              [
                'Environments',
                'labelled',
                (one) => namesOf(one.principal.restrictions?.environments),
              ],
              [
                'Expires (UTC)',
                'labelled',
                ({ expires }) =>
                  expires === null
                    ? 'never'
                    : html`${formatTimestamp(expires).slice(0, 16).replace('T', ' ')}${expires <= now ? ' (expired)' : ''}`,
              ],
            ])
      }
      <p>
        <code>${commandText('token', '--name NAME --scope read')}</code> makes a token and prints
        the line to add to the secret <code>TOKENS</code>. Remove that line to revoke the token.
      </p>`,
  )
