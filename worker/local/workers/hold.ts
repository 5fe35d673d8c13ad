/** Holds writes back while a backup copies the database's files. Reads, which leave the files alone, go on. */

const LOOK_AGAIN_MS = 20

let until = 0

/** Holds writes for so long from now, unless they are released before: a backup that dies must not hold them for ever. */
export function holdWrites(milliseconds: number): void {
  until = Date.now() + milliseconds
}

/** Settles once nothing holds writes. */
export async function writesReleased(): Promise<void> {
  while (Date.now() < until) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
}
