/** Prints the bodies of reports. Consoles and exporters ask for the latest reports again and again, and few of them are new. */

import { decodeBody } from '../report/body.ts'
import { bytesOfHex } from '../sql/encoding.ts'
import type { Memory, PrintedBody } from './memory.ts'

/** Characters of the longest body that is remembered, packed and printed: usual ones have a third of it. */
const LONGEST_REMEMBERED = 20_000

/** The JSON texts of a body. @param names of its metrics; null for none @param body in hex, as stored */
export function printBody(memory: Memory, names: string | null, body: string): PrintedBody {
  const known = memory.bodies.get(body)
  // Other names may share the values.
  if (known?.names === names) return known
  const printed = { names, ...decodeBody(names, bytesOfHex(body)) }
  if (body.length + printed.logs.length + printed.metrics.length <= LONGEST_REMEMBERED)
    memory.bodies.add(body, printed)
  return printed
}
