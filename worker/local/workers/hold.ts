/** Holds writes while a backup copies the database's files. Reads continue, since they do not change the files. */

const LOOK_AGAIN_MS = 20

let until = 0

/** Holds writes for a limited time, or until they are released: a killed backup must not hold them forever. */
export function holdWrites(milliseconds: number): void {
  until = Date.now() + milliseconds
}

/** Resolves once writes are not held. */
export async function writesReleased(): Promise<void> {
  while (Date.now() < until) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
}
