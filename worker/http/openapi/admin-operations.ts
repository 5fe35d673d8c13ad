/** The operations of administrators: one entry for each of their routes. */

import { MOST_HOURS_OF_SILENCE } from '../../notify/hooks.ts'
import { HOOK_FORMAT_NAMES } from '../../schema/hook-formats.ts'
import { TRANSITION_NAMES } from '../../schema/transitions.ts'
import {
  ANY,
  COUNT,
  FLAG,
  listOf,
  objectOf,
  oneOfWords,
  nullOr,
  refTo,
  TEXT,
  TIME,
  type JsonSchema,
} from './json-schema.ts'
import {
  ALWAYS,
  jsonContent,
  type MediaContent,
  type Operation,
  type FailureName,
} from './operation.ts'
import { inQuery } from './parameters.ts'

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
const TIME_OR_DURATION = {
  ...TEXT,
  description: 'A time, or how long from now: `4h`, `7d`.',
}
const OUTCOME = objectOf({ outcome: TEXT })

const FAILED_COMMAND: readonly FailureName[] = [
  'BadCommand',
  'TooLarge',
  'UnsupportedMediaType',
  ...ALWAYS,
]

const admin = (
  summary: string,
  answer: MediaContent | null,
  rest: Partial<Pick<Operation, 'parameters' | 'body' | 'status' | 'errors'>> = {},
): Operation => ({ summary, tag: 'admin', answer, errors: ALWAYS, ...rest })
const WITH_NAME: readonly FailureName[] = ['BadQuery', 'NotFound', ...ALWAYS]

/** `METHOD path` → operation. */
export const adminOperations = (): Record<string, Operation> => ({
  'PUT /insight/v1/causes/:cause/acknowledgement': {
    ...admin(
      'Acknowledges a cause: it stands apart and fires no hook until it grows or the time is over.',
      null,
      {
        body: jsonContent(objectOf({ note: TEXT, until: TIME_OR_DURATION })),
        status: 'no content',
        errors: ['BadQuery', 'NotFound', 'TooLarge', ...ALWAYS],
      },
    ),
    tag: 'insight',
  },
  'DELETE /insight/v1/causes/:cause/acknowledgement': {
    ...admin('Withdraws the acknowledgement of a cause.', null, {
      status: 'no content',
      errors: WITH_NAME,
    }),
    tag: 'insight',
  },
  'PUT /insight/v1/queries/:name': {
    ...admin('Saves a query for everyone.', null, {
      body: jsonContent(objectOf({ title: TEXT, query: TEXT })),
      status: 'no content',
      errors: ['BadQuery', 'TooLarge', ...ALWAYS],
    }),
    tag: 'insight',
  },
  'DELETE /insight/v1/queries/:name': {
    ...admin('Deletes a saved query.', null, { status: 'no content', errors: WITH_NAME }),
    tag: 'insight',
  },

  'GET /admin/v1/retention': admin(
    'What retention would delete now. Writes nothing.',
    jsonContent(objectOf({ as_of: TIME, steps: listOf(refTo('RetentionStep')) })),
  ),
  'GET /admin/v1/archive': admin(
    "Exports reports as PuppetDB's archive.",
    { 'application/octet-stream': { type: 'string', format: 'binary' } },
    {
      parameters: [
        inQuery('query', 'A condition on reports as a tree. By default all are exported.'),
        inQuery('anonymization', 'Only `none`.', oneOfWords('none')),
        inQuery('anonymization_profile', 'Only `none`.', oneOfWords('none')),
      ],
      errors: ['BadQuery', ...ALWAYS],
    },
  ),
  'POST /admin/v1/archive': admin(
    'Imports an archive. Importing again changes nothing.',
    {
      'application/json': refTo('ImportOutcome'),
      'application/x-ndjson': {
        ...TEXT,
        description: 'Progress, and the outcome as the last line.',
      },
    },
    {
      body: {
        'application/octet-stream': { type: 'string', format: 'binary' },
        'multipart/form-data': objectOf({ archive: { type: 'string', format: 'binary' } }),
      },
      parameters: [inQuery('from', 'The `next` of an import that was not complete.', COUNT)],
      errors: ['BadCommand', ...ALWAYS],
    },
  ),
  'POST /admin/v1/cmd': admin(
    'Deletes a node, or runs retention now.',
    jsonContent(
      objectOf(
        {},
        {
          deleted: TEXT,
          ok: FLAG,
          steps: listOf({ type: 'object' }),
          waiting: TEXT,
          history: TEXT,
        },
      ),
    ),
    {
      body: jsonContent(
        objectOf({ command: oneOfWords('delete', 'clean'), version: { const: 1 }, payload: ANY }),
      ),
      errors: ['Conflict', ...FAILED_COMMAND],
    },
  ),
  'GET /admin/v1/summary-stats': admin(
    'Sizes of the store.',
    jsonContent(
      objectOf({
        version: TEXT,
        node_activity: listOf(objectOf({ active: FLAG, count: COUNT })),
        database_usage: listOf(objectOf({ current_time: TIME, bytes: COUNT })),
        table_usage: listOf(objectOf({ relname: TEXT, n_live_tup: COUNT })),
      }),
    ),
  ),
  'GET /insight/v1/history': {
    summary: 'What the history holds, day by day, and what waits for it.',
    tag: 'insight',
    answer: jsonContent(
      objectOf({
        mode: oneOfWords('required', 'best-effort', 'off'),
        first: nullOr(TEXT),
        last: nullOr(TEXT),
        reports: COUNT,
        bytes: COUNT,
        lag: COUNT,
        waiting: listOf(TEXT),
        gaps: listOf(objectOf({ from: TEXT, until: TEXT })),
        days: listOf(objectOf({ date: TEXT, parts: COUNT, reports: COUNT, bytes: COUNT })),
      }),
    ),
    errors: ALWAYS,
  },
  'GET /insight/v1/history/nodes/:certname': {
    summary: 'The runs of a node that the history holds, by default of 30 days.',
    tag: 'insight',
    parameters: [
      inQuery('since', 'A time, or how long ago as in `30d`.'),
      inQuery('until', 'Like `since`; by default now.'),
      inQuery('cursor', 'The `next` of the page before.'),
    ],
    answer: jsonContent(
      objectOf({
        certname: TEXT,
        runs: listOf({ type: 'object' }),
        files: COUNT,
        next: nullOr(TEXT),
      }),
    ),
    errors: ['BadQuery', ...ALWAYS],
  },
  'GET /admin/v1/history/*': {
    ...admin(
      'A file of the history, or a range of it: Parquet. Without a path, the list of files.',
      {
        'application/vnd.apache.parquet': { type: 'string', format: 'binary' },
      },
    ),
    errors: ['NotFound', ...ALWAYS],
  },
  'PUT /admin/v1/history/*': admin('Replaces a file of the history by one with fewer rows.', null, {
    status: 'no content',
    body: { 'application/vnd.apache.parquet': { type: 'string', format: 'binary' } },
    errors: ['NotFound', ...FAILED_COMMAND],
  }),
  'DELETE /admin/v1/history/*': admin('Deletes a file of the history.', null, {
    status: 'no content',
    errors: ['NotFound', ...ALWAYS],
  }),
  'GET /admin/v1/check': admin(
    'One page of the integrity check.',
    jsonContent(
      objectOf({
        check: TEXT,
        checked: COUNT,
        problems: listOf(objectOf({ invariant: TEXT, where: TEXT })),
        next: nullOr(TEXT),
      }),
    ),
    {
      parameters: [inQuery('after', 'The `next` of the page before.')],
      errors: ['BadQuery', ...ALWAYS],
    },
  ),
  'GET /admin/v1/hooks': admin('Notifications.', jsonContent(listOf(HOOK))),
  'PUT /admin/v1/hooks/:name': admin(
    'Creates a notification. The secret that signs its messages is shown only here.',
    jsonContent(objectOf({ name: TEXT, secret: TEXT })),
    {
      body: jsonContent(HOOK_INPUT),
      status: 'created',
      errors: ['BadQuery', 'TooLarge', ...ALWAYS],
    },
  ),
  'PATCH /admin/v1/hooks/:name': admin(
    'Changes a notification. What the body does not name stays as it is, the secret too.',
    jsonContent(objectOf({ name: TEXT, secret: nullOr(TEXT) })),
    { body: jsonContent(HOOK_CHANGES), errors: ['BadQuery', 'NotFound', 'TooLarge', ...ALWAYS] },
  ),
  'DELETE /admin/v1/hooks/:name': admin('Deletes a notification.', null, {
    status: 'no content',
    errors: ['NotFound', ...ALWAYS],
  }),
  'POST /admin/v1/hooks/:name/test': admin('Sends a test message.', jsonContent(OUTCOME), {
    errors: ['NotFound', ...ALWAYS],
  }),
  'GET /admin/v1/hooks/:name/rehearsal': admin(
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
  'GET /admin/v1/deliveries': admin('Messages and their outcome.', jsonContent(listOf(DELIVERY))),
  'POST /admin/v1/deliveries/:id/replay': admin('Sends a message again.', jsonContent(OUTCOME), {
    errors: ['NotFound', ...ALWAYS],
  }),
})

/** Schemas that these operations refer to. */
export const adminSchemas = (): Record<string, JsonSchema> => ({
  RetentionStep: objectOf(
    { step: TEXT, rule: TEXT, before: TIME, complete: FLAG },
    { nodes: COUNT, reports: COUNT, events: COUNT, latest_kept: COUNT },
  ),
  ImportOutcome: objectOf({
    ok: FLAG,
    entries: COUNT,
    stored: COUNT,
    duplicates: COUNT,
    other: COUNT,
    ignored: COUNT,
    refused: COUNT,
    problems: listOf(objectOf({ entry: TEXT, error: TEXT })),
  }),
})
