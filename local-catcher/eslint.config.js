import tseslint from 'typescript-eslint'

/** What is pure and what is only the page's: folder or file → what it must not import. */
const directions = [
  {
    files: ['src/show/**'],
    regex: '^\\.\\./(catcher|command/|listener|connection|inbox|journal|page/)',
    message: 'show/ makes text of plain values and knows nothing of where they come from.',
  },
  {
    files: ['src/*.ts'],
    regex: '^\\./(page|command/(?!run\\.js$))',
    message: 'The library knows neither the page nor the command; bin.ts knows command/run.js.',
  },
  {
    files: ['src/command/**'],
    regex: '^\\.\\./page/(?!server\\.js$)',
    message: 'The command knows the page only by its server.',
  },
]

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'test/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // Tests read answers as whoever asks does.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-misused-promises': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  { files: ['**/*.js', 'vitest.config.ts'], ...tseslint.configs.disableTypeChecked },
  ...directions.map(({ files, regex, message }) => ({
    files,
    rules: { 'no-restricted-imports': ['error', { patterns: [{ regex, message }] }] },
  })),
)
