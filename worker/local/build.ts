/** `npm run build`: builds everything that `npm start` and the commands beside it need, for users who can't write to the checkout. */

import { COMMANDS } from './commands.mjs'
import { hostModules } from './host-modules.ts'
import { keptProgram } from './kept-build.mjs'

const root = process.cwd()
await hostModules(root)
for (const { program } of Object.values(COMMANDS)) await keptProgram(root, program)
