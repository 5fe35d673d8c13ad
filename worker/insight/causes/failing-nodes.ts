/** Some of the nodes that fail by each cause now, by name: a list of causes names them without a page for each. */

import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { keyMilliseconds } from '../../sql/encoding.ts'

export interface FailingNode {
  readonly certname: string
  /** Of its latest run, with the hash of its report. */
  readonly time: Timestamp
  readonly report: string
}

/** Names of causes → the first nodes that fail by them. */
export type FailingNodes = ReadonlyMap<string, readonly FailingNode[]>

/** Those of a cause, as SQL lists them. */
export type NodesOfCause = readonly (readonly [certname: string, key: number, hash: string])[]

export const failingNodesOf = (
  rows: readonly { readonly cause?: string; readonly named?: NodesOfCause | null }[],
): FailingNodes =>
  new Map(
    rows.flatMap(({ cause, named }) =>
      cause === undefined || !named
        ? []
        : [
            [
              cause,
              named.map(([certname, key, report]) => ({
                certname,
                time: formatTimestamp(keyMilliseconds(key)),
                report,
              })),
            ],
          ],
    ),
  )
