/** `/openapi.json` is valid, complete, and true of the recorded answers. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { insightAnswers } from '../../tools/describe/insight-answers.ts'
import { FIELD_MEANINGS } from '../../tools/openapi/field-meanings.ts'
import { objectOf } from '../../tools/openapi/json-schema.ts'
import { queryBody } from '../../tools/openapi/parameters.ts'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'
import { AnswerJudge, describedBy, DOCUMENT, INSIGHTS, OPERATIONS } from './document.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Routes that only refuse. */
const REFUSING = [
  '/query/:version{v[1-3]}/*',
  '/insight/*',
  '/mcp',
  '/query/*',
  '/insight/*',
  '/cmd/*',
  '/reports/*',
  '/puppet/v3/report/*',
  '/admin/*',
  '/metrics/*',
  '/*',
]

describe('the description of the API', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(DOCUMENT) as never)
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  it("keeps redocly's recommended rules", async () => {
    const problems = await lintFromString({
      source: JSON.stringify(DOCUMENT),
      config: await createConfig({ extends: ['recommended'] }),
    })
    // No caller can make these fail.
    expect(problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)).toEqual([
      'operation-4xx-response #/paths/~1status~1v1~1simple/get/responses',
      'operation-4xx-response #/paths/~1status~1v1~1simple~1puppetdb-status/get/responses',
    ])
  })

  it('requires the properties that an answer always has, be it one', () => {
    expect(objectOf({ one: {} }, { other: {} })).toMatchObject({ required: ['one'] })
    expect(objectOf({}, { other: {} })).not.toHaveProperty('required')
  })

  it('names the scopes of a token, and none where any token will do', () => {
    const scopesOf = (path: string) =>
      (DOCUMENT.paths[path]!['get'] as unknown as { security: Record<string, string[]>[] })
        .security[0]
    expect(scopesOf('/meta/v1/version')).toEqual({ bearer: [] })
    expect(scopesOf('/query/v4')).toEqual({ bearer: ['read'] })
  })

  it('says what a field means, and lets the body of a query have only what it names', () => {
    const text = JSON.stringify(DOCUMENT)
    for (const meaning of Object.values(FIELD_MEANINGS['nodes']!))
      expect(text).toContain(`"description":${JSON.stringify(meaning)}`)
    const bodies = [queryBody(['query', 'limit'], true), queryBody(['query'], false)]
    expect(bodies.map((body) => body['additionalProperties'])).toEqual([false, false])
  })

  it('has every route, but those that only refuse', () => {
    const missing = EVERY_ROUTE.filter(({ method, path }) => {
      const described =
        path === '/metrics/v2/*' ? '/metrics/v2/{request}' : path.replace(/:(\w+)/g, '{$1}')
      const methods = method === 'ALL' ? ['get', 'post'] : [method.toLowerCase()]
      return !methods.every((one) => DOCUMENT.paths[described]?.[one])
    })
    expect(missing.map(({ path }) => path)).toEqual(REFUSING)
  })

  it('has nothing else', () => {
    const described = Object.values(DOCUMENT.paths).flatMap((path) => Object.keys(path))
    expect(described.length).toBe(OPERATIONS.size)
  })

  it('says of every insight what it answers, by its type', () => {
    expect(insightAnswers(ROOT), 'npm run describe brings the file up to date').toEqual(INSIGHTS)
  })

  it('describes every insight, parameter and schema once', () => {
    const ids = Object.values(DOCUMENT.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    const unsaid = Object.values(DOCUMENT.paths).flatMap((path) =>
      Object.values(path).filter(({ summary }) => summary.startsWith('/')),
    )
    expect(unsaid).toEqual([])
  })

  it('names operations as generated clients know them', async () => {
    const lines = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId}  ${method.toUpperCase()} ${path}`,
      ),
    )
    await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('operations.txt')
  })
})

interface Question {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
}
interface Recorded {
  readonly id: string
  readonly status: number
  readonly type: string
  readonly body: unknown
}

const linesOf = <Line>(name: string): Line[] =>
  readFileSync(join(ROOT, 'test/fixtures/conformance', name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

/** The name of a parameter, which may be a reference. */
const parameterNamed = (one: { readonly name?: string; readonly $ref?: string }): string =>
  one.name ?? one.$ref!.split('.').at(-1)!

describe('the recorded queries', () => {
  const questions = new Map(linesOf<Question>('queries.ndjson').map((one) => [one.id, one]))
  const answers = linesOf<Recorded>('answers.ndjson')

  it('are asked with parameters that are described', () => {
    const unknown = answers.flatMap(({ id, status }) => {
      const { method, path, params } = questions.get(id)!
      const template = describedBy(method, path)
      if (status !== 200 || template === null || method !== 'GET') return []
      const named = DOCUMENT.paths[template]!['get']!.parameters ?? []
      return Object.keys(params).filter(
        (name) => !named.some((one) => parameterNamed(one) === name),
      )
    })
    expect(unknown).toEqual([])
  })

  it('are answered as described', () => {
    const judge = new AnswerJudge(false)
    const answered = answers.filter(
      ({ status, type }) => status === 200 && type === 'application/json',
    )
    expect(answered.length).toBeGreaterThan(100)
    const problems = answered.flatMap(({ id, body }) => {
      const { method, path } = questions.get(id)!
      return judge.problems(method, path, body).map((problem) => `${id} ${problem}`)
    })
    expect(problems).toEqual([])
  })
})
