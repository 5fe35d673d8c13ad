import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The tests speak to the command as it is shipped, so it is built first where a source has changed since it was built. */
export function setup() {
  if (isCurrent()) return
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  // What is no longer a source must not be packed.
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  // `npm run check` has checked the types.
  const build = (...flags) =>
    execFileSync(process.execPath, [compiler, '-p', '.', '--noCheck', ...flags], {
      cwd: root,
      stdio: 'inherit',
    })
  build('--declaration', '--emitDeclarationOnly', '--removeComments', 'false')
  build()
}

/** Whether what was built is younger than all that it is made of. A folder changes when a file of it is added or removed. */
function isCurrent() {
  const built = statSync(join(root, 'dist/index.js'), { throwIfNoEntry: false })
  const sources = readdirSync(join(root, 'src'), { recursive: true }).map((path) => `src/${path}`)
  return (
    built !== undefined &&
    ['src', 'tsconfig.json', ...sources].every(
      (path) => statSync(join(root, path)).mtimeMs < built.mtimeMs,
    )
  )
}
