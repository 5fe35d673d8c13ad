/** pypuppetdb, as it comes, against the service. Its checks are a program of its own, in its own language. */

import { join } from 'node:path'
import { execute, firstThatRuns } from './command.ts'
import type { Target } from './query.ts'
import type { Steps } from './steps.ts'

/** Debian installs for its own Python, which need not be the first on the path. */
const INTERPRETERS = ['python3', '/usr/bin/python3']

/** The Python that has pypuppetdb, if there is one. */
export const pythonWithClient = (): Promise<string | undefined> =>
  firstThatRuns(INTERPRETERS, ['-c', 'import pypuppetdb'])

export const MISSING_PYTHON_CLIENT =
  "the Python client needs Debian's python3-pypuppetdb (apt-get install python3-pypuppetdb)"

/** Runs the program; each line it prints is a step. */
export async function drivePythonClient(
  steps: Steps,
  python: string,
  scripts: string,
  { url, token }: Target,
): Promise<void> {
  const { hostname, port } = new URL(url)
  const { code, output, errors } = await execute(python, [
    // No compiled files are left beside the program.
    '-B',
    join(scripts, 'pypuppetdb-checks/drive.py'),
    hostname,
    port,
    ...(token === null ? [] : [token]),
  ])
  for (const line of output.split('\n').filter((one) => one !== '')) {
    const [, verdict, text] = /^(ok|FAILED) (.*)$/.exec(line) ?? []
    if (verdict === 'ok') steps.pass(`pypuppetdb: ${text}`)
    else steps.fail(`pypuppetdb: ${text ?? line}`)
  }
  if (code !== 0 && !output.includes('FAILED ')) {
    steps.fail(`pypuppetdb: the program ended with exit code ${code}: ${errors.trim()}`)
  }
}
