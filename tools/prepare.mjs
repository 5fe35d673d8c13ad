/** After packages are installed: builds local-catcher, whose tests and users of the checkout run what is built. */

import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'

try {
  createRequire(import.meta.url).resolve('typescript')
} catch {
  // `npm ci --omit=dev` installs what the service needs, and no compiler.
  process.exit(0)
}
execFileSync('npm', ['run', '--silent', 'build', '-w', 'local-catcher'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
