import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from '../build.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The tests speak to the command as it is shipped, so it is built first where a source has changed since it was built. */
export async function setup() {
  // `npm run check` has checked the types.
  if (!isCurrent()) await build({ check: false })
}

/** Whether what was built is younger than all that it is made of. A folder changes when a file of it is added or removed. */
function isCurrent() {
  const built = statSync(join(root, 'dist/index.d.ts'), { throwIfNoEntry: false })
  const sources = readdirSync(join(root, 'src'), { recursive: true }).map((path) => `src/${path}`)
  return (
    built !== undefined &&
    ['src', 'tsconfig.json', 'build.js', ...sources].every(
      (path) => statSync(join(root, path)).mtimeMs < built.mtimeMs,
    )
  )
}
