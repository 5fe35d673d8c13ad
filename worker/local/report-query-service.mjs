#!/usr/bin/env -S node --max-semi-space-size=2
/** `report-query-service COMMAND`: the program of the installed package. `npm run COMMAND` of the checkout runs the same. */

import { readFileSync } from 'node:fs'
import { COMMANDS, PACKAGE } from './commands.mjs'

const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
const HELP = `${PACKAGE} COMMAND [options]

${Object.entries(COMMANDS)
  .map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`)
  .join('\n')}

${PACKAGE} COMMAND --help lists the options of a command, ${PACKAGE} --version says which release this is.`

const [name = ''] = process.argv.splice(2, 1)
if (Object.hasOwn(COMMANDS, name)) {
  process.argv.splice(2, 0, COMMANDS[name].program)
  await import('./launch.mjs')
} else if (name === '--version') {
  const description = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  console.log(JSON.parse(description).version)
} else if (name === '--help' || name === '-h') {
  console.log(HELP)
} else {
  console.error(name === '' ? HELP : `There is no command "${name}".\n\n${HELP}`)
  process.exitCode = 2
}
