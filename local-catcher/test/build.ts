import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The tests speak to the command as it is shipped, so it is built first. */
export function setup() {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  // What is no longer a source must not be packed.
  rmSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true, force: true })
  const project = fileURLToPath(new URL('../tsconfig.json', import.meta.url))
  execFileSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' })
}
