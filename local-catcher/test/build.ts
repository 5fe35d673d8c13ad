import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The tests speak to the command as it is shipped, so it is built first. */
export function setup() {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const project = fileURLToPath(new URL('../tsconfig.json', import.meta.url))
  execFileSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' })
}
