// The version of this package.
import { createRequire } from 'node:module'

const manifest = () => createRequire(import.meta.url)('../package.json') as { version: string }

/** The version of this package, as its package.json has it. */
export const packageVersion = (): string => manifest().version
