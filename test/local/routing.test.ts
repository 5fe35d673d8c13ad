/** Which requests a reader may answer, and how long it may take. */

import { expect, it } from 'vitest'
import { ENDPOINTS } from '../../worker/http/queries/endpoints.ts'
import { longestReadBytes } from '../../worker/schema/query-length.ts'
import { isForReader, limitFrom, timeoutOf } from '../../worker/local/host/routing.ts'

it.each([
  ['GET', '/pdb/query/v4?query=nodes{}', true],
  ['HEAD', '/console', true],
  ['GET', '/metrics', true],
  ['POST', '/pdb/query/v4', true],
  ['POST', '/query/v4/nodes', true],
  ['POST', '/mcp', true],
  ['POST', '/metrics/v2?x', true],
  // However the path is spelt: by it the Worker finds the route.
  ['POST', '/pdb/%71uery/v4', true],
  ['POST', '/pdb/./query/v4/reports/', true],
  ['POST', '/x/..%2fquery/v4', false],
  ['GET', '/%73tatus/v1/simple', false],
  ['POST', '/pdb/query%2fv4', false],
  ['POST', '/pdb/query/v4?query=%zz', true],
  // The status is one for all processes.
  ['GET', '/status/v1/simple', false],
  ['GET', '/pdb/status/v1/services', false],
  // They take as long as their clients.
  ['GET', '/admin/v1/archive?from=1', false],
  ['GET', '/pdb/admin/v1/archive', false],
  ['POST', '/pdb/cmd/v1?command=store_report', false],
  ['POST', '/console/sign-in', false],
  ['POST', '/query/v40', false],
  ['PUT', '/admin/v1/queries/x', false],
  ['DELETE', '/admin/v1/hooks/x', false],
  ['OPTIONS', '*', false],
])('%s %s: %s', (method, target, isRead) => {
  expect(isForReader(method, target)).toBe(isRead)
})

it('each endpoint of queries is for readers, by GET and by POST', () => {
  for (const path of ENDPOINTS.map(([one]) => `/query/v4${one}`))
    expect([path, isForReader('GET', path), isForReader('POST', path)]).toEqual([path, true, true])
})

const LIMITS = { QUERY_TIMEOUT: 60, MAX_QUERY_TIMEOUT: 0 }

it.each([
  ['/query/v4/nodes', '', LIMITS, 60],
  ['/query/v4/nodes?timeout=1.5', '', LIMITS, 1.5],
  ['/query/v4/nodes?limit=1&timeout=1.5&x=1', '', LIMITS, 1.5],
  // As the Worker reads the address and the body.
  ['/query/v4/nodes?timeout=%31', '', LIMITS, 1],
  ['/query/v4/nodes?%74imeout=2e-1', '', LIMITS, 0.2],
  ['/query/v4/nodes?x=timeout%3D1', '', LIMITS, 60],
  ['/query/v4/nodes', '{"\\u0074imeout":2}', LIMITS, 2],
  ['/query/v4/nodes?timeout=2000000', '', LIMITS, 2_000_000],
  ['/query/v4/nodes?timeout=2000001', '', LIMITS, null],
  ['/query/v4/nodes?timeout=0', '', LIMITS, null],
  ['/query/v4/nodes?timeout=0', '', { ...LIMITS, MAX_QUERY_TIMEOUT: 90 }, 90],
  ['/query/v4/nodes?timeout=120', '', { ...LIMITS, MAX_QUERY_TIMEOUT: 90 }, 90],
  ['/query/v4/nodes', '{"query":"nodes{}","timeout":2}', LIMITS, 2],
  ['/query/v4/nodes', '{"query":"nodes{}","timeout":"2"}', LIMITS, 2],
  // The service refuses them.
  ['/query/v4/nodes?timeout=-1', '', LIMITS, 60],
  ['/query/v4/nodes', '{"timeout":', LIMITS, 60],
  ['/query/v4/nodes', '{"timeout":{}}', LIMITS, 60],
  ['/query/v4/nodes', '', { QUERY_TIMEOUT: 0, MAX_QUERY_TIMEOUT: 0 }, null],
])('%s with %j and %j: %s s', (target, body, limits, seconds) => {
  expect(timeoutOf(target, Buffer.from(body), limits)).toBe(seconds)
})

it.each([
  [null, null],
  [0, 500],
  [1.5, 2000],
])('a limit of %s s from 500 ms on ends at %s ms', (seconds, until) => {
  expect(limitFrom(seconds, 500).until).toBe(until)
})

it.each([
  ['of a query in escapes', 2_000_000, 12_000_000],
  ['of an assistant, where queries have to be short', 1000, 1_000_000],
])('the longest body that is gathered for a reader is one %s', (_, MAX_QUERY_LENGTH, bytes) => {
  expect(longestReadBytes({ MAX_QUERY_LENGTH })).toBe(bytes)
})
