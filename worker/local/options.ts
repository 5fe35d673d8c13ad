/** The options of `npm start`. */

import { parseArgs } from 'node:util'
import { resolve } from 'node:path'

export interface StartOptions {
  readonly port: number
  readonly host: string
  readonly data: string
  /** No sample fleet, even where the database is empty. */
  readonly empty: boolean
}

/** Something that the person who typed the command can mend; its message is all they need to see. */
export class StartError extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message)
  }
}

export const HELP = `npm start -- [options]

  --port N      port to listen on (8787)
  --host ADDR   address to listen on (127.0.0.1: this machine only)
  --data DIR    folder that the database is kept in (./data)
  --empty       put no sample fleet into an empty database
  --help        this text`

/** @returns the options, or null where help is asked for. @throws StartError (2) for words it doesn't know */
export function readOptions(words: readonly string[]): StartOptions | null {
  const values = parsed(words)
  if (values.help) return null
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new StartError(`--port takes a number from 0 to 65535, not "${values.port}".`, 2)
  }
  if (values.data === '') throw new StartError('--data takes the name of a folder.', 2)
  return { port, host: values.host, data: resolve(values.data), empty: values.empty }
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        port: { type: 'string', default: '8787' },
        host: { type: 'string', default: '127.0.0.1' },
        data: { type: 'string', default: 'data' },
        empty: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\.?\s*\n|\. /)
    throw new StartError(`${sentence}.\n\n${HELP}`, 2)
  }
}
