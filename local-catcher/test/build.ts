import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The tests speak to the command as it is shipped, so it is built first. */
export function setup() {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const root = fileURLToPath(new URL('..', import.meta.url))
  // What is no longer a source must not be packed.
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const build = (...flags: readonly string[]) =>
    // `npm run check` has checked the types.
    execFileSync(process.execPath, [compiler, '-p', '.', '--noCheck', ...flags], {
      cwd: root,
      stdio: 'inherit',
    })
  build()
  build('--declaration', '--emitDeclarationOnly', '--removeComments', 'false')
}
