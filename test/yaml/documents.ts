/** Compares what is read in a document with what should be. */

import type { Json } from '../../worker/lib/json.ts'
import { canonicalText } from '../../worker/lib/lossless.ts'
import { parseYaml } from '../../worker/yaml/parse.ts'

/** What is wrong with the reading of a document, in a sentence; null where nothing is. */
export function differenceIn(yaml: string, expected: Json): string | null {
  const wanted = canonicalText(expected)
  let read: string
  try {
    read = canonicalText(parseYaml(yaml).value)
  } catch (error) {
    return `${String(error)}, expected ${wanted}`
  }
  return read === wanted ? null : `read ${read}, expected ${wanted}`
}
