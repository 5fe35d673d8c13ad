/** The directions of imports and who may know what. All other rules stand in .oxlintrc.json, which knows types and takes a sixth of the time. */

import tseslint from 'typescript-eslint'

/** Folder → what it may import, beside its own files. A test compares this with the map in docs/architecture.md. */
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
  housekeeping: ['history', 'store', 'sql', 'report', 'schema', 'lib'],
  integrity: ['housekeeping', 'history', 'store', 'sql', 'report', 'schema', 'lib'],
  access: ['plan', 'query', 'postgres', 'schema', 'lib'],
  archive: ['schema', 'lib'],
  answer: ['store', 'sql', 'plan', 'query', 'lib'],
  insight: ['answer', 'history', 'store', 'sql', 'plan', 'query', 'report', 'schema', 'lib'],
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

const FOLDERS = Object.keys(MAY_IMPORT)

const directions = FOLDERS.map((folder) => ({
  files: [`worker/${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./)+(${FOLDERS.filter(
              (other) => other !== folder && !MAY_IMPORT[folder].includes(other),
            ).join('|')})/`,
            message: `${folder}/ may import ${[...MAY_IMPORT[folder], 'its own files'].join(', ')}.`,
          },
          {
            regex: '^(\\.\\./)+(app|index|env|local|tools)\\b',
            message:
              'Only the routes know the application, its environment, the local runner and tools.',
          },
          ...(['http', 'console'].includes(folder)
            ? []
            : [{ regex: '^hono\\b', message: 'Only http/, console/ and the routes know Hono.' }]),
        ],
      },
    ],
  },
}))

const DEFAULT_EXPORT = {
  selector: 'ExportDefaultDeclaration',
  message: 'Exports have names; only the Worker itself is a default.',
}

/** `no-restricted-imports` does not see `import()`, so that may not leave its folder at all. */
const LAZY_IMPORT = {
  selector: 'ImportExpression > Literal[value=/^[.][.]/]',
  message: 'import() loads files of its own folder; the directions are checked for import … from.',
}

/** A statement's first words, all of them in upper or all in lower case, in a text of a program. */
const STATEMENT =
  /\b(?:SELECT\s[^]*\bFROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:TABLE|INDEX)|ORDER BY|GROUP BY|LEFT JOIN)\b|\b(?:select\s[^]*\bfrom\s|insert\s+(?:or\s+\w+\s+)?into|update\s+\w+\s+set|delete\s+from|create\s+(?:table|index)|left join)\b/

/** A page tells its reader what to ask the history, in a command line. */
const COMMAND_LINE = 'npm run history -- sql'

/** Refuses SQL in the texts of a file. */
const noSql = {
  create(context) {
    const check = (node) => {
      const text = context.sourceCode.getText(node)
      if (STATEMENT.test(text) && !text.includes(COMMAND_LINE)) {
        context.report({ node, message: 'SQL stands in the folders that read and write.' })
      }
    }
    return { 'Literal[value.length>0]': check, TemplateLiteral: check }
  },
}

/** Folders that read and write. The local runner keeps the list of applied migrations, as wrangler does elsewhere. */
const WITH_SQL = [
  'sql',
  'store',
  'ingest',
  'history',
  'housekeeping',
  'integrity',
  'insight',
  'local',
]

/** Makes names, as values and as types, unknown in folders, and with them further syntax. */
const forbidNames = (folders, names, message, syntax = [], ignores = []) => ({
  files: folders.map((folder) => `worker/${folder}/**/*.ts`),
  ignores,
  rules: {
    'no-restricted-globals': ['error', ...names.map((name) => ({ name, message }))],
    'no-restricted-syntax': [
      'error',
      {
        selector: `TSTypeReference[typeName.name=/^(${names.join('|')})$/]`,
        message,
      },
      DEFAULT_EXPORT,
      LAZY_IMPORT,
      ...syntax,
    ],
  },
})

const DATABASE = ['D1Database', 'D1DatabaseSession', 'D1PreparedStatement']
const MESSAGES = ['Request', 'Response']
const D1_MESSAGE = "Only store/ and the Worker's entry know D1."

const STATUS_NUMBER = 'Literal[raw=/^[1-5][0-9][0-9]$/]'
const RESPONSES = [
  {
    selector:
      'NewExpression[callee.name="Response"], CallExpression[callee.object.name="Response"]',
    message: 'Only http/respond.ts makes responses.',
  },
  {
    selector: [
      `Property[key.name="status"] > ${STATUS_NUMBER}`,
      `NewExpression[callee.name=/^(Refused|Denied)$/] > ${STATUS_NUMBER}`,
      `CallExpression[callee.name=/(Response|^respond)$/] > ${STATUS_NUMBER}`,
      `CallExpression[callee.property.name=/^(body|html|json|redirect|text)$/] > ${STATUS_NUMBER}`,
    ].join(', '),
    message: 'Only http/respond.ts knows status numbers.',
  },
]

export default tseslint.config(
  { ignores: ['**/dist/', '.wrangler/', 'node_modules/', 'local-catcher/', 'bench/', 'test/'] },
  {
    files: ['worker/**/*.ts', 'tools/**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    // No file is an exception.
    linterOptions: { noInlineConfig: true },
  },
  {
    files: ['worker/**/*.ts', 'tools/**/*.ts'],
    ignores: [...WITH_SQL.map((folder) => `worker/${folder}/**`), 'tools/history/**'],
    plugins: { house: { rules: { 'no-sql': noSql } } },
    rules: { 'house/no-sql': 'error' },
  },
  ...directions,
  {
    files: ['worker/local/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'miniflare',
              message:
                'A server of its own runs workerd itself: Miniflare opens sockets that nobody guards.',
            },
          ],
          patterns: [
            {
              regex: '^(\\.\\./)+tools/(?!fleet/)',
              message: 'local/ may import the sample fleet of tools/, and nothing else of it.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['tools/{describe,fleet,openapi}/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '/worker/local/(?!commands\\.mjs)',
              message: 'Descriptions and the sample fleet do not know the local runner.',
            },
          ],
        },
      ],
    },
  },
  forbidNames(
    FOLDERS.filter((folder) => !['store', 'http', 'console'].includes(folder)),
    [...DATABASE, ...MESSAGES],
    `${D1_MESSAGE} Only http/ and console/ know Request and Response.`,
  ),
  forbidNames(['store'], MESSAGES, 'Only http/ and console/ know Request and Response.'),
  forbidNames(['http', 'console'], DATABASE, D1_MESSAGE, RESPONSES, [
    'worker/http/respond.ts',
    '**/*.d.ts',
  ]),
)
