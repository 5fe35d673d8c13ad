/** The operations of administrators but for notifications: one entry for each of their routes. */

import type { JsonSchema } from '../../worker/schema/readers.ts'
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
} from './json-schema.ts'
import {
  adminOperation,
  ALWAYS,
  jsonContent,
  type FailureName,
  type Operation,
} from './operation.ts'
import { inQuery } from './parameters.ts'

const TIME_OR_DURATION = {
  ...TEXT,
  description: 'A time, or how long from now: `4h`, `7d`.',
}

const FAILED_COMMAND: readonly FailureName[] = [
  'BadCommand',
  'TooLarge',
  'UnsupportedMediaType',
  ...ALWAYS,
]

const WITH_NAME: readonly FailureName[] = ['BadQuery', 'NotFound', ...ALWAYS]

const PAGE_OF_CHECK = {
  parameters: [inQuery('after', 'The `next` of the page before.')],
  errors: ['BadQuery', ...ALWAYS] as const,
}

/** `METHOD path` → operation. */
export const adminOperations = (): Record<string, Operation> => ({
  'PUT /insight/v1/causes/:cause/acknowledgement': {
    ...adminOperation(
      "Acknowledges a cause: it isn't red and fires no hook until it grows or the time is over.",
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
    ...adminOperation('Withdraws the acknowledgement of a cause.', null, {
      status: 'no content',
      errors: WITH_NAME,
    }),
    tag: 'insight',
  },
  'PUT /insight/v1/queries/:name': {
    ...adminOperation('Saves a query for everyone.', null, {
      body: jsonContent(objectOf({ title: TEXT, query: TEXT })),
      status: 'no content',
      errors: ['BadQuery', 'TooLarge', ...ALWAYS],
    }),
    tag: 'insight',
  },
  'DELETE /insight/v1/queries/:name': {
    ...adminOperation('Deletes a saved query.', null, { status: 'no content', errors: WITH_NAME }),
    tag: 'insight',
  },

  'GET /admin/v1/retention': adminOperation(
    'What retention would delete now. Writes nothing.',
    jsonContent(objectOf({ as_of: TIME, steps: listOf(refTo('RetentionStep')) })),
  ),
  'GET /admin/v1/archive': adminOperation(
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
  'POST /admin/v1/archive': adminOperation(
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
  'POST /admin/v1/cmd': adminOperation(
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
      errors: ['Conflict', 'NotFound', ...FAILED_COMMAND],
    },
  ),
  'GET /admin/v1/summary-stats': adminOperation(
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
    summary: 'What the history holds, by month and day, and what waits for it.',
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
        months: listOf(objectOf({ month: TEXT, files: COUNT, reports: COUNT, bytes: COUNT })),
        days: listOf(objectOf({ date: TEXT, parts: COUNT, reports: COUNT, bytes: COUNT })),
      }),
    ),
    errors: ALWAYS,
  },
  'GET /admin/v1/history/*': {
    ...adminOperation(
      'A file of the history, or a range of it: Parquet. Without a path, the list of files.',
      {
        'application/vnd.apache.parquet': { type: 'string', format: 'binary' },
      },
    ),
    errors: ['NotFound', ...ALWAYS],
  },
  'PUT /admin/v1/history/*': adminOperation(
    'Replaces a file of the history by one with fewer rows.',
    null,
    {
      status: 'no content',
      body: { 'application/vnd.apache.parquet': { type: 'string', format: 'binary' } },
      errors: ['NotFound', ...FAILED_COMMAND],
    },
  ),
  'DELETE /admin/v1/history/*': adminOperation('Deletes a file of the history.', null, {
    status: 'no content',
    errors: ['NotFound', ...ALWAYS],
  }),
  'GET /admin/v1/check': adminOperation(
    'One page of the integrity check.',
    jsonContent(refTo('CheckedPage')),
    PAGE_OF_CHECK,
  ),
  'POST /admin/v1/check': adminOperation(
    'One page of the integrity check, which computes again what can be: counts, rows of nodes, indexes, marks of the history.',
    jsonContent(refTo('CheckedPage')),
    PAGE_OF_CHECK,
  ),
})

/** Schemas that these operations refer to. */
export const adminSchemas = (): Record<string, JsonSchema> => ({
  RetentionStep: objectOf(
    { step: TEXT, rule: TEXT, before: TIME, complete: FLAG },
    { nodes: COUNT, reports: COUNT, events: COUNT, latest_kept: COUNT },
  ),
  CheckedPage: objectOf({
    check: TEXT,
    checked: COUNT,
    problems: listOf(
      objectOf({
        invariant: TEXT,
        where: TEXT,
        remedy: TEXT,
        repair: oneOfWords('none', 'possible', 'done'),
      }),
    ),
    next: nullOr(TEXT),
  }),
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
