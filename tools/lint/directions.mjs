/** Who may import whom. */

/** Folder of the Worker → what it may import, beside its own files. A test compares this with the map in docs/architecture.md. */
export const MAY_IMPORT = {
  lib: [],
  postgres: ['lib'],
  yaml: ['lib'],
  msgpack: ['lib'],
  schema: ['lib'],
  query: ['lib'],
  report: ['yaml', 'schema', 'lib'],
  plan: ['query', 'postgres', 'schema', 'lib'],
  sql: ['plan', 'postgres', 'schema', 'lib'],
  store: ['sql', 'report', 'schema', 'lib'],
  ingest: ['store', 'sql', 'report', 'schema', 'lib'],
  history: ['store', 'sql', 'report', 'schema', 'lib'],
  outcomes: ['store', 'sql', 'schema', 'lib'],
  housekeeping: ['outcomes', 'history', 'store', 'sql', 'report', 'schema', 'lib'],
  integrity: ['housekeeping', 'outcomes', 'history', 'store', 'sql', 'report', 'schema', 'lib'],
  access: ['plan', 'query', 'postgres', 'schema', 'lib'],
  archive: ['schema', 'lib'],
  answer: ['store', 'sql', 'plan', 'query', 'lib'],
  insight: [
    'answer',
    'outcomes',
    'history',
    'store',
    'sql',
    'plan',
    'query',
    'report',
    'schema',
    'lib',
  ],
  notify: ['insight', 'history', 'store', 'schema', 'lib'],
  http: [
    'access',
    'answer',
    'insight',
    'notify',
    'integrity',
    'housekeeping',
    'history',
    'ingest',
    'store',
    'plan',
    'query',
    'report',
    'msgpack',
    'archive',
    'schema',
    'lib',
  ],
  console: [
    'access',
    'answer',
    'insight',
    'notify',
    'http',
    'housekeeping',
    'store',
    'query',
    'schema',
    'lib',
  ],
}

/** Folders of the Worker that may import Hono. */
const WITH_HONO = ['http', 'console']

/**
 * What files must not import: by their path, and by what they name, as a path from the project's root where it is a file
 * of ours.
 *
 * @type {readonly { readonly files: RegExp, readonly imports: RegExp, readonly message: string }[]}
 */
export const REFUSED_IMPORTS = [
  ...Object.entries(MAY_IMPORT).flatMap(([folder, others]) => [
    {
      files: new RegExp(`^worker/${folder}/`),
      imports: new RegExp(
        `^worker/(?:${Object.keys(MAY_IMPORT)
          .filter((other) => other !== folder && !others.includes(other))
          .join('|')})/`,
      ),
      message: `${folder}/ may import ${[...others, 'its own files'].join(', ')}.`,
    },
    {
      files: new RegExp(`^worker/${folder}/`),
      imports: /^(?:worker\/(?:(?:app|index|env)\b|local\/)|tools\/)/,
      message: 'Only the routes know the application, its environment, the local runner and tools.',
    },
  ]),
  {
    files: new RegExp(
      `^worker/(?:${Object.keys(MAY_IMPORT)
        .filter((folder) => !WITH_HONO.includes(folder))
        .join('|')})/`,
    ),
    imports: /^hono\b/,
    message: 'Only http/, console/ and the routes know Hono.',
  },
  {
    files: /^worker\/local\//,
    imports: /^miniflare$/,
    message: 'A server of its own runs workerd itself: Miniflare opens sockets that nobody guards.',
  },
  {
    files: /^worker\/local\//,
    imports: /^tools\/(?!build\/|fleet\/)/,
    message: 'local/ may import the build and the sample fleet of tools/, and nothing else of it.',
  },
  {
    files: /^tools\/(?:describe|fleet|openapi)\//,
    imports: /^worker\/local\/(?!commands\.mjs)/,
    message: 'Descriptions and the sample fleet do not know the local runner.',
  },
]
