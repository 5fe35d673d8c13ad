/** The parameters that every panel of `/insight/v1` takes besides its own. */

import { QueryError } from '../../lib/errors.ts'
import { asFlag, asText, readValues, type Readers, type ValuesOf } from '../../schema/readers.ts'

const TIME_OR_AGE = { type: 'string', examples: ['24h', '2026-03-01T06:00:00Z'] }

/** The span and the nodes that a panel is about. `readScope` parses them together. */
export const SCOPE_PARAMETERS = {
  since: {
    ...asText('Begin of the span: a time, or how long ago. By default `24h`.'),
    schema: TIME_OR_AGE,
  },
  until: {
    ...asText('End of the span: a time, or how long ago. By default now.'),
    schema: TIME_OR_AGE,
  },
  environment: asText('Only this environment.'),
  filter: asText('A condition on reports, in PQL or as a tree, such as `certname ~ "^web"`.'),
  exclude: asText('A regular expression: leaves out nodes whose certname matches.'),
  silent_after: {
    ...asText('Hours without a report after which a node is silent. By default 2.'),
    schema: { type: 'number', exclusiveMinimum: 0, default: 2 },
  },
}

export const COMMON_PARAMETERS = {
  ...SCOPE_PARAMETERS,
  pretty: { ...asFlag('Indents the answer.', false), schema: { type: 'boolean' } },
}

/** @throws QueryError for a parameter that is sent twice or can't be read */
export function readParameters<Taken extends Readers>(
  parameters: URLSearchParams,
  readers: Taken,
): ValuesOf<Taken> {
  const seen = new Set<string>()
  for (const name of parameters.keys()) {
    if (seen.has(name)) throw new QueryError(`The parameter '${name}' is given twice.`)
    seen.add(name)
  }
  return readValues(readers, (name) => parameters.get(name) ?? undefined)
}
