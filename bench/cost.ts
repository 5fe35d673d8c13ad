/** Reads the cost of an answer from its `server-timing` header. */

import type { Answer } from './client.ts'

export interface Cost {
  readonly sqlMilliseconds: number
  readonly roundTrips: number
  readonly statements: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

/** Null without that header, as in a peer's answers; a single missing figure is NaN. */
export function costOf({ headers }: Answer): Cost | null {
  const header = headers['server-timing']
  if (typeof header !== 'string') return null
  const figure = (name: string): number =>
    Number(new RegExp(`(?:^|, )${name};(?:dur|desc)="?([\\d.]+)`).exec(header)?.[1] ?? NaN)
  return {
    sqlMilliseconds: figure('sql'),
    roundTrips: figure('round-trips'),
    statements: figure('statements'),
    rowsRead: figure('rows-read'),
    rowsWritten: figure('rows-written'),
  }
}
