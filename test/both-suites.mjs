/**
 * Runs the tests of the service and of the catcher, side by side: the catcher's mostly wait, for time-outs and retries.
 * What the service's print is seen at once, what the catcher's print when they are over.
 */

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setup } from '../local-catcher/test/build.js'

/** The exit code; 1 where a signal ended it. */
const codeOf = (child) => new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))

// Tests of the service start the catcher too, so it is not built while they run.
setup()
const service = spawn('vitest', ['run'], { stdio: 'inherit' })
const catcher = spawn('npm', ['run', '--silent', 'test', '-w', 'local-catcher'], {
  stdio: ['ignore', 'pipe', 'pipe'],
})
const [serviceCode, catcherCode, ...printed] = await Promise.all([
  codeOf(service),
  codeOf(catcher),
  text(catcher.stdout),
  text(catcher.stderr),
])
process.stdout.write(printed.join(''))
process.exitCode = serviceCode || catcherCode
