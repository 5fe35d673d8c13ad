/** Limits of what operators save: what happens at the number, and on both sides of it. */

import { JSON_TYPE, request } from '../worker/client.ts'
import { answerOf, jsonOfLength, put } from './answers.ts'
import { edge, testEdges } from './edge.ts'

let hooks = 0
const HOOK = { transition: 'failed', url: 'https://hooks.example.com/x' }

async function saveView(title: string, address: string): Promise<number> {
  const body = new URLSearchParams({ do: 'save', title, address })
  const headers = { origin: 'http://service.example' }
  const response = await request('/console/views', { method: 'POST', body, headers })
  await response.text()
  return response.status
}

testEdges('what operators send', [
  edge({
    number: 'http/monitoring/beans.ts LARGEST_REQUEST',
    of: 'bytes of a request for beans',
    cases: [
      [65_535, '200'],
      [65_536, '200'],
      [65_537, /^413 A request for beans may have at most 65536 bytes\.$/],
    ],
    drive: (length: number) =>
      answerOf('/metrics/v2', { method: 'POST', body: jsonOfLength(length, { type: 'version' }) }),
  }),
  edge({
    number: 'http/insights/saved-queries.ts LONGEST_TITLE',
    of: 'characters of the title of a query',
    cases: [
      [199, '204'],
      [200, '204'],
      [201, /^400 A query needs a title of at most 200 characters\.$/],
    ],
    drive: (length: number) =>
      put('/insight/v1/queries/edge', { title: 'x'.repeat(length), query: 'nodes {}' }),
  }),
  edge({
    number: 'http/insights/saved-queries.ts LONGEST_QUERY',
    of: 'characters of a saved query',
    cases: [
      [99_999, '204'],
      [100_000, '204'],
      [100_001, /^400 The query is too long: at most 100000 characters can be saved\.$/],
    ],
    drive: (length: number) =>
      put('/insight/v1/queries/edge', { title: 'x', query: 'nodes {}'.padEnd(length) }),
  }),
  edge({
    number: 'http/insights/saved-queries.ts MOST_BYTES',
    of: 'bytes of the body of a saved query',
    cases: [
      [999_999, '204'],
      [1_000_000, '204'],
      [1_000_001, /^413 The body of a saved query may have at most 1000000 bytes\.$/],
    ],
    drive: (length: number) =>
      answerOf('/insight/v1/queries/edge', {
        method: 'PUT',
        body: jsonOfLength(length, { title: 'x', query: 'nodes {}' }),
      }),
  }),
  edge({
    number: 'console/operator-forms.ts LONGEST_TITLE',
    of: 'characters of the title of a view',
    cases: [
      [199, 302],
      [200, 302],
      [201, 400],
    ],
    drive: (length: number) => saveView('x'.repeat(length), '/console/nodes'),
  }),
  edge({
    number: 'console/operator-forms.ts LONGEST_ADDRESS',
    of: 'characters of the address of a view',
    cases: [
      [3999, 302],
      [4000, 302],
      [4001, 400],
    ],
    drive: (length: number) => saveView('long', '/console/nodes?q='.padEnd(length, 'x')),
  }),
  edge({
    number: 'schema/acknowledgement.ts longestNote',
    of: 'characters of a note; the cause is unknown',
    cases: [
      [499, /^404 /],
      [500, /^404 /],
      [501, /^400 An acknowledgement needs a note of at most 500 characters/],
    ],
    drive: (length: number) =>
      put('/insight/v1/causes/none/acknowledgement', { note: 'x'.repeat(length), until: '1h' }),
  }),
  edge({
    number: 'schema/acknowledgement.ts longestDays',
    of: 'days; the cause is unknown',
    cases: [
      [89, /^404 /],
      [90, /^404 /],
      [91, /^400 .*of at most 90 days/],
    ],
    drive: (days: number) =>
      put('/insight/v1/causes/none/acknowledgement', { note: 'x', until: `${days}d` }),
  }),
  edge({
    number: 'http/insights/acknowledgements.ts MOST_BYTES',
    of: 'bytes of the body of an acknowledgement; the cause is unknown',
    cases: [
      [9_999, /^404 /],
      [10_000, /^404 /],
      [10_001, /^413 /],
    ],
    drive: (length: number) =>
      answerOf('/insight/v1/causes/none/acknowledgement', {
        method: 'PUT',
        body: jsonOfLength(length, { note: 'x', until: '1h' }),
      }),
  }),
  edge({
    number: 'notify/hooks.ts MOST_HOURS_OF_SILENCE',
    of: 'hours of silence of a hook',
    cases: [
      [0, /^400 hours can't be '0': expected a whole number from 1 to 720\./],
      [1, /^20/],
      [719, /^20/],
      [720, /^20/],
      [721, /^400 hours can't be '721': expected a whole number from 1 to 720\./],
    ],
    drive: (hours: number) =>
      put(`/admin/v1/hooks/edge-${hooks++}`, { ...HOOK, transition: 'silent', hours }),
  }),
  edge({
    number: 'notify/hooks.ts LONGEST_FILTER',
    of: 'characters of the filter of a hook',
    cases: [
      [9_999, /^20/],
      [10_000, /^20/],
      [10_001, /^400 A filter may have at most 10000 characters\.$/],
    ],
    drive: (length: number) =>
      put(`/admin/v1/hooks/edge-${hooks++}`, {
        ...HOOK,
        filter: `certname = "${'x'.repeat(length - 13)}"`,
      }),
  }),
  edge({
    number: 'http/admin/hooks.ts MOST_BYTES',
    of: 'bytes of the body of a hook',
    cases: [
      [65_535, /^20/],
      [65_536, /^20/],
      [65_537, /^413 The body of a hook may have at most 65536 bytes\.$/],
    ],
    drive: (length: number) =>
      answerOf(`/admin/v1/hooks/edge-${hooks++}`, {
        method: 'PUT',
        body: jsonOfLength(length, HOOK),
      }),
  }),
  edge({
    number: 'schema/query-length.ts LONGEST_MESSAGE',
    of: 'bytes of a message to MCP',
    cases: [
      [999_999, '200'],
      [1_000_000, '200'],
      [1_000_001, /^413 .*A message may have at most 1000000 bytes/],
    ],
    drive: (length: number) =>
      answerOf('/mcp', {
        method: 'POST',
        headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
        body: jsonOfLength(length, { jsonrpc: '2.0', id: 1, method: 'ping' }),
      }),
  }),
])
