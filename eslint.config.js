import tseslint from 'typescript-eslint'

/** Folder → what it may import, beside its own files. A test compares this with the map in the README. */
export const MAY_IMPORT = {
  lib: [],
  postgres: ['lib'],
  yaml: ['lib'],
  schema: ['lib'],
  query: ['lib'],
  report: ['yaml', 'lib'],
  plan: ['query', 'postgres', 'schema', 'lib'],
  sql: ['plan', 'postgres', 'schema', 'lib'],
  store: ['sql', 'report', 'schema', 'lib'],
  ingest: ['store', 'sql', 'report', 'schema', 'lib'],
  housekeeping: ['store', 'sql', 'schema', 'lib'],
  integrity: ['housekeeping', 'store', 'sql', 'report', 'schema', 'lib'],
  access: ['plan', 'query', 'postgres', 'schema', 'lib'],
  archive: ['lib'],
  insight: ['store', 'sql', 'plan', 'query', 'report', 'schema', 'lib'],
  notify: ['insight', 'store', 'schema', 'lib'],
  http: [
    'access',
    'insight',
    'notify',
    'integrity',
    'housekeeping',
    'ingest',
    'store',
    'sql',
    'plan',
    'query',
    'report',
    'archive',
    'schema',
    'lib',
  ],
  console: [
    'access',
    'insight',
    'notify',
    'http',
    'housekeeping',
    'store',
    'sql',
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
            regex: '^(\\.\\./)+(app|index|env|local)\\b',
            message: 'Only the routes know the application, its environment and the local runner.',
          },
          ...(['http', 'console'].includes(folder)
            ? []
            : [{ regex: '^hono\\b', message: 'Only http/, console/ and the routes know Hono.' }]),
        ],
      },
    ],
  },
}))

/** D1 and Request and Response by name, in the folders that must not know them. */
const forbidNames = (folders, names, message) => ({
  files: folders.map((folder) => `worker/${folder}/**/*.ts`),
  rules: {
    'no-restricted-globals': ['error', ...names.map((name) => ({ name, message }))],
    'no-restricted-syntax': [
      'error',
      {
        selector: `TSTypeReference[typeName.name=/^(${names.join('|')})$/]`,
        message,
      },
      {
        selector: 'ExportDefaultDeclaration',
        message: 'Exports have names; only the Worker itself is a default.',
      },
    ],
  },
})

const DATABASE = ['D1Database', 'D1DatabaseSession', 'D1PreparedStatement']
const MESSAGES = ['Request', 'Response']

export default tseslint.config(
  { ignores: ['**/dist/', '.wrangler/', 'node_modules/', 'local-catcher/', 'bench/catcher/'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js', 'worker/local/launch.mjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
    },
  },
  { files: ['**/*.{js,mjs}'], ...tseslint.configs.disableTypeChecked },
  ...directions,
  {
    files: ['worker/local/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'miniflare',
          message:
            'A server of its own runs workerd itself: Miniflare opens sockets that nobody guards.',
        },
      ],
    },
  },
  forbidNames(
    ['lib', 'postgres', 'schema', 'query', 'report', 'archive', 'plan', 'sql', 'access'],
    [...DATABASE, ...MESSAGES],
    'D1 is known in store/ only, Request and Response in http/ only.',
  ),
  forbidNames(
    ['store', 'ingest', 'housekeeping', 'integrity', 'insight', 'notify'],
    MESSAGES,
    'Request and Response are known in http/ only.',
  ),
  {
    // Tests read answers as whoever asks does, and tables of cases may be long.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
    },
  },
)
