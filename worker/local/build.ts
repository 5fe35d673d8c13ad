/** `npm run build`: builds everything that `npm start` and the commands beside it need, for users who can't write to the checkout. */

import { hostModules } from './host-modules.ts'
import { keptProgram } from './kept-build.mjs'

const root = process.cwd()
await hostModules(root)
for (const program of [
  'start',
  'backup',
  'restore',
  'history/history',
  'token',
  'check-database',
  'import/import',
  'compare/compare',
])
  await keptProgram(root, `worker/local/${program}.ts`)
