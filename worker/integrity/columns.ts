/** Rows that a check reads, as what they are called by. */

/**
 * The list of columns of a SELECT, and what makes an object of one of its rows.
 *
 * @param columns SQL by the name that its value has in the object
 */
export function columnsOf<Stored>(
  columns: Readonly<Record<keyof Stored, string>>,
): readonly [selected: string, read: (row: readonly unknown[]) => Stored] {
  const named = Object.entries<string>(columns)
  return [
    named.map(([, sql], index) => `${sql} AS c${index}`).join(', '),
    (row) => Object.fromEntries(named.map(([name], index) => [name, row[index]])) as Stored,
  ]
}
