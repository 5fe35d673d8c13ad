/** `npm run test:clients`: existing clients, unchanged, against services started for them alone: one that is open, one that is closed. */

import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingAgent, runAgent } from './agent-runs.ts'
import { endPrograms } from './command.ts'
import { runContainer } from './container.ts'
import { sendDirectly } from './direct-runs.ts'
import { followFirstPage } from './first-page.ts'
import { loadTwice } from './fleet.ts'
import { sendTooFast } from './hurry.ts'
import { deactivateAndReturn } from './node-life.ts'
import { splitPaths } from './path-split.ts'
import { drivePythonClient, MISSING_PYTHON_CLIENT, pythonWithClient } from './python-client.ts'
import { signInOverProxies } from './proxies.ts'
import { tryToGetIn } from './refusals.ts'
import { settleSite, startTarget, TOKEN } from './site.ts'
import { sendByServer } from './server-runs.ts'
import { signOnByNginx } from './single-sign-on.ts'
import { Steps } from './steps.ts'
import { walkAsStranger } from './stranger.ts'
import { Workplace } from './workplace.ts'

/** Where this program's bundle stands below the project: dist/programs/NAME. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const scripts = join(root, 'test/clients')

const steps = new Steps()
const workplace = await Workplace.open()
process.once('exit', () => {
  endPrograms()
  workplace.abandon()
})
for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
  process.once(signal, () => process.exit(code))
}

/** `npm run test:clients stranger` walks that way only, and runs the container. */
const isWholeRun = !process.argv.includes('stranger')

try {
  const missing = await missingAgent()
  if (missing !== undefined) steps.skip(missing)
  const python = await pythonWithClient()
  if (python === undefined) steps.skip(MISSING_PYTHON_CLIENT)

  for (const access of isWholeRun ? (['open', 'closed'] as const) : []) {
    steps.under(`${access}: `)
    const started = await startTarget(workplace, root, access)
    const { target } = started
    const site =
      missing === undefined ? await settleSite(workplace, access, scripts, started) : null
    if (site !== null) await followFirstPage(steps, site)
    const ran = site !== null && (await runAgent(steps, site))
    if (site !== null) await sendDirectly(steps, site)
    await loadTwice(steps, target)
    if (python !== undefined) await drivePythonClient(steps, python, scripts, target)
    if (ran) await deactivateAndReturn(steps, site)
    if (site !== null && access === 'closed') {
      await tryToGetIn(steps, site)
      await sendTooFast(steps, workplace, site)
      await sendByServer(steps, workplace, site, TOKEN)
    }
  }
  if (isWholeRun) {
    steps.under('closed: ')
    await signInOverProxies(steps, workplace, root)
    await signOnByNginx(steps, workplace, root)
    await splitPaths(steps, workplace, { root, scripts, python })
  }
  steps.under('stranger: ')
  await walkAsStranger(steps, workplace, { root, hasAgent: missing === undefined })
  steps.under('container: ')
  await runContainer(steps, workplace, root)
} catch (error) {
  steps.fail(`the program itself: ${error instanceof Error ? error.stack : String(error)}`)
} finally {
  await workplace.close()
}

process.exitCode = steps.close() ? 0 : 1
