// Challenges: how senders ask whether a URL is meant to receive their webhooks, and what they expect.
import { queryOf } from './content.js'
import { jsonObjectOf, type CapturedRequest } from './request.js'
import type { GivenAnswer, Responder } from './rules.js'

/** A request, taken apart for the table. */
interface Asked {
  readonly request: CapturedRequest
  /** The parameters of the query. */
  readonly query: ReadonlyMap<string, string>
  /** The body, where it is a JSON object; else an empty one. */
  readonly json: Readonly<Record<string, unknown>>
}

const plain = (body: unknown): GivenAnswer | undefined =>
  typeof body === 'string'
    ? { status: 200, headers: { 'Content-Type': 'text/plain' }, body }
    : undefined

/** By sender: what answers its challenge, or undefined where the request is none. */
const CHALLENGES: Readonly<Record<string, (asked: Asked) => GivenAnswer | undefined>> = {
  // https://docs.slack.dev/reference/events/url_verification
  slack: ({ json }) => (json.type === 'url_verification' ? plain(json.challenge) : undefined),
  // https://developers.facebook.com/docs/graph-api/webhooks/getting-started
  meta: ({ request, query }) =>
    request.method === 'GET' && query.has('hub.mode')
      ? plain(query.get('hub.challenge'))
      : undefined,
  // https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
  graph: ({ request, query }) =>
    request.method === 'POST' ? plain(query.get('validationToken')) : undefined,
  // https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md#4-abuse-protection
  cloudevents: ({ request }) => {
    const origin = request.header('WebHook-Request-Origin')
    if (request.method !== 'OPTIONS' || origin === undefined) return undefined
    const rate = request.header('WebHook-Request-Rate')
    const limits: Record<string, string> = rate ? { 'WebHook-Allowed-Rate': rate } : {}
    const headers = { Allow: 'POST', 'WebHook-Allowed-Origin': origin, ...limits }
    return { status: 200, headers, body: '' }
  },
}

/** Answers challenges; gives undefined for every other request. */
export const answerChallenge: Responder = (request) => {
  const asked = { request, query: new Map(queryOf(request.url)), json: jsonObjectOf(request) }
  const given = Object.values(CHALLENGES).map((answer) => answer(asked))
  return given.find((answer) => answer !== undefined)
}
