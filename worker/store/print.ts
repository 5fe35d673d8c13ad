/** Prints rows as JSON text. Values that are JSON already are inserted unchanged. */

import { invariant, unreachable } from '../lib/invariant.ts'
import { formatTimestamp } from '../lib/time.ts'
import { uuidText } from '../sql/encoding.ts'
import type { PageRow } from '../sql/page.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Decoding } from '../sql/values.ts'
import type { PageTexts } from './id-caches.ts'

/** The expanded parts of one report as JSON texts, and the path prefix of their hrefs. */
export interface Expansion {
  readonly href: string
  readonly logs: string
  readonly metrics: string
  readonly resource_events: string
}

type Print = (value: never, expansion: Expansion | undefined) => string

/** A function that prints rows of a select as JSON objects. */
export function rowPrinter(
  { columns }: CompiledSelect,
  texts: PageTexts,
): (row: PageRow, expansion?: Expansion) => string {
  const names = columns.map(({ name }) => name)
  const prints = columns.map(({ decoding }) => printOf(decoding, texts))
  const keys = names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  return (row, expansion) => {
    let text = ''
    for (let index = 0; index < keys.length; index++) {
      const value = row[names[index]!]
      text += keys[index]!
      text += value === null ? 'null' : prints[index]!(value as never, expansion)
    }
    return `${text}}`
  }
}

function printOf(decoding: Decoding, texts: PageTexts): Print {
  switch (decoding.as) {
    case 'text':
    case 'certname':
      return (value: string) => JSON.stringify(value)
    case 'number':
      return (value: number) => String(value)
    case 'boolean':
      return (value: number) => (value === 0 ? 'false' : 'true')
    case 'timestamp':
      return (value: number) => `"${formatTimestamp(value)}"`
    case 'hex':
      return (value: string) => `"${value.toLowerCase()}"`
    case 'uuid':
      return printUuid
    case 'json':
      return (value: string) => value
    case 'path':
      return (value: string) => (value === '' ? 'null' : value)
    case 'string':
      return (value: number) => {
        const text = texts['strings']?.get(value)
        invariant(text !== undefined, `string ${value} was read`)
        return text
      }
    case 'code': {
      const texts = decoding.codes.map((code) => JSON.stringify(code))
      return (value: number) => texts[value]!
    }
    case 'expanded': {
      const { part } = decoding
      const child = part === 'resource_events' ? 'events' : part
      return (_: number, expansion) => {
        invariant(expansion, 'rows with parts are expanded')
        return `{"data":${expansion[part]},"href":"${expansion.href}/${child}"}`
      }
    }
    default:
      return unreachable(decoding)
  }
}

/** Only a text that isn't a UUID may need escaping. */
const printUuid = (value: string): string =>
  value.startsWith('=') ? JSON.stringify(uuidText(value)) : `"${uuidText(value)}"`
