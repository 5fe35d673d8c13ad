/** `npm run test:clients`: existing clients, unchanged, against a service started for them alone. */

import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startService } from '../../worker/local/service.ts'
import { missingAgent, runAgent } from './agent-runs.ts'
import { endPrograms } from './command.ts'
import { loadTwice } from './fleet.ts'
import { deactivateAndReturn } from './node-life.ts'
import { drivePythonClient, MISSING_PYTHON_CLIENT, pythonWithClient } from './python-client.ts'
import { Steps } from './steps.ts'
import { Workplace } from './workplace.ts'

/** Where this program's bundle stands below the project: node_modules/.cache/report-query-service. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const scripts = join(root, 'test/clients')

const OPEN = { ACCESS: 'open' }

const steps = new Steps()
const workplace = await Workplace.open()
process.once('exit', () => {
  endPrograms()
  workplace.abandon()
})
for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
  process.once(signal, () => process.exit(code))
}

try {
  const service = await startService({
    root,
    host: '127.0.0.1',
    port: 0,
    data: null,
    settings: OPEN,
  })
  workplace.defer(service.stop)

  const missing = await missingAgent()
  if (missing !== undefined) steps.skip(missing)
  const agent =
    missing === undefined ? await runAgent(steps, workplace, scripts, service.url) : undefined

  await loadTwice(steps, root, service.url)

  const python = await pythonWithClient()
  if (python === undefined) steps.skip(MISSING_PYTHON_CLIENT)
  else await drivePythonClient(steps, python, scripts, service.url)

  if (agent !== undefined) await deactivateAndReturn(steps, agent, service.url)
} catch (error) {
  steps.fail(`the program itself: ${error instanceof Error ? error.stack : String(error)}`)
} finally {
  await workplace.close()
}

process.exitCode = steps.close() ? 0 : 1
