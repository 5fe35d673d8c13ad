/** The filter of a hook as the fields of its form: an environment, a pattern of names, and what else is asked in PQL. */

import { quoted } from './address.ts'

export interface HookFilter {
  readonly environment: string
  /** Names with `*` for any characters. */
  readonly nodes: string
  readonly filter: string
}

/** The filter of the fields, in PQL. */
export function filterOfFields({ environment, nodes, filter }: HookFilter): string {
  const terms = [
    environment === '' ? '' : `environment = ${quoted(environment)}`,
    nodes === '' ? '' : `certname ~ ${quoted(patternOf(nodes))}`,
  ].filter((term) => term !== '')
  if (filter === '') return terms.join(' and ')
  return terms.length === 0 ? filter : [...terms, `(${filter})`].join(' and ')
}

/** The fields of a filter; one that these fields did not make stays in PQL as a whole. */
export function fieldsOfFilter(written: string): HookFilter {
  const [, environment, pattern, filter] =
    /^(?:environment = ("(?:[^"\\]|\\.)*")(?: and |$))?(?:certname ~ ("(?:[^"\\]|\\.)*")(?: and |$))?(?:\((.*)\))?$/s.exec(
      written,
    ) ?? []
  const fields = {
    environment: unquoted(environment),
    nodes: unquoted(pattern)
      .replace(/^\^|\$$/g, '')
      .replaceAll('.*', '*')
      .replace(/\\(.)/g, '$1'),
    filter: filter ?? '',
  }
  return filterOfFields(fields) === written
    ? fields
    : { environment: '', nodes: '', filter: written }
}

const unquoted = (literal: string | undefined): string =>
  literal === undefined ? '' : (JSON.parse(literal) as string)

/** `web-*` as a pattern that fits the whole name. */
const patternOf = (nodes: string): string =>
  `^${nodes.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`
