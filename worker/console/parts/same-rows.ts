/** Rows of a list that say the same of several nodes or runs: one row, which opens them all. */

import { counted } from '../format.ts'
import { each, html, type Html } from '../html.ts'

/** A row, and all of the list that say the same, in their order. */
export type Same<Row> = Row & { readonly same: readonly Row[] }

/** @param said what a row says besides its node and time */
export const sameRows = <Row extends object>(
  rows: readonly Row[],
  said: (row: Row) => string,
): readonly Same<Row>[] =>
  [...Map.groupBy(rows, said).values()].map((same) => ({ ...same[0]!, same }))

/**
 * The nodes of such a row.
 *
 * @param noun of what a node may have several @param nameOf the link to a node @param timeOf the time of a row
 */
export function nodesOfSame<Row extends { readonly certname: string }>(
  same: readonly Row[],
  noun: string,
  {
    nameOf,
    timeOf,
  }: { readonly nameOf: (certname: string) => Html; readonly timeOf: (row: Row) => Html },
): Html {
  if (same.length === 1) return nameOf(same[0]!.certname)
  const nodes = new Set(same.map(({ certname }) => certname)).size
  return html`<details class="nodes">
    <summary>
      <b>${counted(nodes, 'node')}</b
      >${same.length > nodes ? `, ${counted(same.length, noun)}` : ''}
    </summary>
    <ul>
      ${each(same, (row) => html`<li>${nameOf(row.certname)} ${timeOf(row)}</li>`)}
    </ul>
  </details>`
}
