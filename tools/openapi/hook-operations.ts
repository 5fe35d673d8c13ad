/** The operations of notifications: one entry for each of their routes. */

import { MOST_HOURS_OF_SILENCE } from '../../worker/notify/hooks.ts'
import { HOOK_FORMAT_NAMES } from '../../worker/schema/hook-formats.ts'
import { TRANSITION_NAMES } from '../../worker/schema/transitions.ts'
import { COUNT, FLAG, listOf, nullOr, objectOf, oneOfWords, TEXT, TIME } from './json-schema.ts'
import { adminOperation, ALWAYS, jsonContent, type Operation } from './operation.ts'

const HOOK = objectOf({
  name: TEXT,
  transition: oneOfWords(...TRANSITION_NAMES),
  hours: nullOr(COUNT),
  filter: TEXT,
  cause: TEXT,
  format: oneOfWords(...HOOK_FORMAT_NAMES),
  to: TEXT,
  created: TIME,
  looked_until: TIME,
})
const URL_OF_HOOK = { type: 'string', format: 'uri' } as const
const HOOK_PARTS = {
  hours: { type: 'integer', minimum: 1, maximum: MOST_HOURS_OF_SILENCE },
  filter: { ...TEXT, description: 'A condition on reports in PQL.' },
  cause: { ...TEXT, description: 'The name of a cause, for the transition failed.' },
  format: {
    ...oneOfWords(...HOOK_FORMAT_NAMES),
    description: 'The service that the messages are for; signed JSON by default.',
  },
} as const
const HOOK_INPUT = objectOf(
  { transition: oneOfWords(...TRANSITION_NAMES), url: URL_OF_HOOK },
  HOOK_PARTS,
)
const HOOK_CHANGES = objectOf(
  {},
  {
    transition: oneOfWords(...TRANSITION_NAMES),
    url: URL_OF_HOOK,
    ...HOOK_PARTS,
    new_secret: { ...FLAG, description: 'Replaces the secret that signs messages.' },
  },
)
const DELIVERY = objectOf({
  id: COUNT,
  hook: TEXT,
  message: TEXT,
  title: TEXT,
  created: TIME,
  attempts: COUNT,
  next_attempt: nullOr(TIME),
  delivered: nullOr(TIME),
  outcome: nullOr(TEXT),
})
const OUTCOME = objectOf({ outcome: TEXT })

/** `METHOD path` → operation. */
export const hookOperations = (): Record<string, Operation> => ({
  'GET /admin/v1/hooks': adminOperation('Notifications.', jsonContent(listOf(HOOK))),
  'PUT /admin/v1/hooks/:name': adminOperation(
    'Creates a notification. The secret that signs its messages is shown only here.',
    jsonContent(objectOf({ name: TEXT, secret: TEXT })),
    {
      body: jsonContent(HOOK_INPUT),
      status: 'created',
      errors: ['BadQuery', 'TooLarge', ...ALWAYS],
    },
  ),
  'PATCH /admin/v1/hooks/:name': adminOperation(
    'Changes a notification. What the body does not name stays as it is, the secret too.',
    jsonContent(objectOf({ name: TEXT, secret: nullOr(TEXT) })),
    { body: jsonContent(HOOK_CHANGES), errors: ['BadQuery', 'NotFound', 'TooLarge', ...ALWAYS] },
  ),
  'DELETE /admin/v1/hooks/:name': adminOperation('Deletes a notification.', null, {
    status: 'no content',
    errors: ['NotFound', ...ALWAYS],
  }),
  'POST /admin/v1/hooks/:name/test': adminOperation('Sends a test message.', jsonContent(OUTCOME), {
    errors: ['NotFound', ...ALWAYS],
  }),
  'GET /admin/v1/hooks/:name/preview': adminOperation(
    'What a notification would have reported in the last seven days, and the message about it.',
    jsonContent(
      objectOf({
        since: TIME,
        total: COUNT,
        items: listOf({ type: 'object' }),
        message: { type: 'object' },
      }),
    ),
    { errors: ['NotFound', ...ALWAYS] },
  ),
  'GET /admin/v1/deliveries': adminOperation(
    'Messages and their outcome.',
    jsonContent(listOf(DELIVERY)),
  ),
  'POST /admin/v1/deliveries/:id/replay': adminOperation(
    'Sends a message again.',
    jsonContent(OUTCOME),
    {
      errors: ['NotFound', ...ALWAYS],
    },
  ),
})
