/** The description of the API, as the service makes it, and validators for its schemas. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import insights from '../../tools/openapi/insight-answers.json'
import { openApiDocument, operationsBy } from '../../tools/openapi/document.ts'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'

export interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[]
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, unknown> }>>
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly responses: Readonly<Record<string, { readonly content: Record<string, unknown> }>>
  }
}

export const DOCUMENT = openApiDocument(EVERY_ROUTE, insights) as unknown as Described
export const INSIGHTS = insights
export const OPERATIONS = operationsBy(insights)

/** The path and the operation of the description that a request falls under; null without one. */
export function describedBy(method: string, pathname: string): string | null {
  const path = pathname.replace(/^\/pdb(?=\/)/, '')
  const fits = (template: string): boolean =>
    new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
  const found = Object.keys(DOCUMENT.paths)
    .filter((template) => fits(template) && DOCUMENT.paths[template]![method.toLowerCase()])
    // Of two that fit, the one with fewer names is the router's choice too.
    .sort((one, other) => one.split('{').length - other.split('{').length)
  return found[0] ?? null
}

/** Says what of answers does not fit the description. */
export class AnswerJudge {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  /** @param strict also refuses properties that an insight's schema does not name */
  constructor(strict: boolean) {
    addFormats.default(this.#ajv)
    this.#ajv.addSchema(strict ? (closed(DOCUMENT) as object) : DOCUMENT, 'api')
  }

  /** Problems of a JSON answer with status 200; empty where it is as described. */
  problems(method: string, pathname: string, body: unknown, status = '200'): string[] {
    const template = describedBy(method, pathname)
    if (template === null) return [`${method} ${pathname} is not described`]
    const parts = ['paths', template, method.toLowerCase(), 'responses', status]
    const pointer = [...parts, 'content', 'application/json', 'schema']
      .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map(encodeURIComponent)
      .join('/')
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `api#/${pointer}` })
    this.#compiled.set(pointer, validate)
    if (validate(body)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${method} ${pathname}: ${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
}

/** The description with every schema of insights closed: a property that it does not name is a mistake. */
function closed(document: Described): unknown {
  const isOpen = (name: string): boolean => !Object.hasOwn(insights.schemas, name)
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close)
    if (typeof value !== 'object' || value === null) return value
    const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, close(one)]))
    return 'properties' in copy && copy['type'] === 'object'
      ? { ...copy, additionalProperties: false }
      : copy
  }
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [
    name,
    isOpen(name) ? schema : close(schema),
  ])
  const components = { ...document.components, schemas: Object.fromEntries(schemas) as object }
  return { ...document, components }
}
