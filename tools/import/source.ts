/** The source of an import, and the request for each of its reports. */

/** One report to send. */
export interface Item {
  /** Its name in messages and in the journal; the same at each reading of the source. */
  readonly name: string
  readonly certname: string
  /** Its producer timestamp in ms; null where it has none that can be read. */
  readonly time: number | null
  /** Path below the service's URL. */
  readonly path: string
  readonly type: string
  readonly body: string | Uint8Array
}

export interface ReportSource {
  /** Number of items; null if it is unknown until the end. */
  readonly total: number | null
  /** Items in a fixed order. `wanted` says by name whether an item is still needed; others need not be read. */
  readonly items: (wanted: (name: string) => boolean) => AsyncIterable<Item>
}

/** An error that the user of the command can fix; the message says how. */
export class ImportError extends Error {}
