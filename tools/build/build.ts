/** `npm run build`: builds everything that `npm start` and the commands beside it need, for users who can't write to the checkout. */

import { COMMANDS } from '../../worker/local/commands.mjs'
import { hostModules } from '../../worker/local/host-modules.ts'
import { keptProgram } from '../../worker/local/kept-build.mjs'

const root = process.cwd()
await hostModules(root)
for (const { program } of Object.values(COMMANDS)) await keptProgram(root, program)
