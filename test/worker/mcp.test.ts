/** What the tools of the MCP server answer where lists and names end. Official clients call them in test/docs. */

import { beforeAll, describe, expect, it } from 'vitest'
import { store } from './client.ts'
import { failed, HOUR, run } from './console-runs.ts'
import { callTool } from './mcp.ts'

const CODE = { environment: 'production', code_id: 'b'.repeat(40) }

beforeAll(() =>
  store(
    run('web-1', 2 * HOUR, CODE),
    run('web-1', HOUR, { ...CODE, ...failed('nginx') }),
    run('web-2', HOUR, CODE),
    run('db-1', HOUR, CODE),
  ),
)

const textOf = async (name: string, given: Readonly<Record<string, unknown>>): Promise<string> => {
  const { text, failed } = await callTool(name, given)
  expect(failed, text).toBe(false)
  return text
}

describe('a query', () => {
  it.each([
    [{ limit: 1 }, '3 rows in all, 1 to 1 shown.', 1],
    [{ limit: 1, offset: 1 }, '3 rows in all, 2 to 2 shown.', 2],
    [{ limit: 1, offset: 2 }, '3 rows in all, 3 to 3 shown.', null],
    [{ limit: 2, offset: 2 }, '3 rows in all, 3 to 3 shown.', null],
    [{ offset: 3 }, '3 rows in all, none shown.', null],
  ])('%j says what it shows, and where more is', async (given, said, next) => {
    const text = await textOf('query', { query: 'nodes[certname] { }', ...given })
    expect(text).toContain(said)
    expect(/More: ask again with offset (\d+)\./.exec(text)?.[1] ?? null).toBe(
      next === null ? null : String(next),
    )
  })
})

describe('a node is found', () => {
  it.each([
    ['web-1', false, '"certname":"web-1"'],
    ['db', false, '"certname":"db-1"'],
    ['web', true, "Several nodes begin with 'web': web-1, web-2."],
    ['mail', true, 'mail'],
  ])('by %j, which is its name or begins it', async (certname, failed, said) => {
    const answer = await callTool('why_is_node_failing', { certname })
    expect(answer).toEqual({ failed, text: expect.stringContaining(said) })
  })
})

it.each<[tool: string, given: Readonly<Record<string, unknown>>, member: string]>([
  ['fleet_status', {}, 'nodes'],
  ['what_is_failing', {}, 'items'],
  ['deploy_status', {}, 'items'],
  ['deploy_details', { environment: 'production', version: CODE.code_id }, 'code_version'],
  ['what_changed', {}, 'items'],
  ['slow_resources', {}, 'items'],
  ['search', { q: 'web' }, 'hits'],
])('%s answers what its panel does, under no other name', async (tool, given, member) => {
  const text = await textOf(tool, given)
  expect(text).toMatch(new RegExp(String.raw`^(?:\{.*"${member}":|${member} \(\d+\):)`, 'm'))
  expect(text).not.toMatch(/^answer/m)
})
