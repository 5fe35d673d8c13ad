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
  // What a language has rules for is checked by Oxlint (.oxlintrc.json).
  { files: ['src/**/*.ts'], languageOptions: { parser: tseslint.parser } },
  ...directions.map(({ files, regex, message }) => ({
    files,
    rules: { 'no-restricted-imports': ['error', { patterns: [{ regex, message }] }] },
  })),
)
