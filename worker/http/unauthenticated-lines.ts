/** Log lines that anyone can cause without credentials. */

import { BoundedLines } from '../lib/bounded-lines.ts'
import { Denied } from '../lib/errors.ts'

export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof Denied && error.denial === 'unauthenticated'

/** Of this isolate. */
export const UNAUTHENTICATED = {
  requests: new BoundedLines('requests without credentials'),
  commands: new BoundedLines('commands without credentials'),
}
