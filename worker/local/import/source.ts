/** Where reports are imported from, and what each of them is sent as. */

/** One report on its way to the service. */
export interface Item {
  /** What it is called in messages and in the journal; the same whenever the source is read. */
  readonly name: string
  /** Path below the service's address. */
  readonly path: string
  readonly type: string
  readonly body: string | Uint8Array
}

export interface ReportSource {
  /** How many items there are; null where nobody knows before the last. */
  readonly total: number | null
  /** Items in a fixed order. `wanted` says of a name whether its item is still needed: others need not be read. */
  readonly items: (wanted: (name: string) => boolean) => AsyncIterable<Item>
}

/** What the person who typed the command can mend; its message is all they need. */
export class ImportError extends Error {}
