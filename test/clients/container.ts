/** The container of docs/own-server, built and run by the commands of docs/how-to/run-your-own-server.md. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { sendReport } from '../local/send-report.ts'
import { execute, succeed } from './command.ts'
import { expect, expectSame } from './compare.ts'
import { Documented, replaced } from './documented.ts'
import type { Steps } from './steps.ts'
import type { Workplace } from './workplace.ts'

const PAGE = 'how-to/run-your-own-server.md'
/** In the place of `reports`, which may be the name of what somebody uses here. */
const NAME = 'reports-of-test-clients'
const CERTNAME = 'container.clients.example'

/** What is missing, in a sentence; null where Podman can build the image. Without a registry, a base image of that name may be here. */
async function missingContainer(root: string): Promise<string | null> {
  if ((await execute('podman', ['--version'])).code !== 0) return 'Podman is not installed'
  const text = await readFile(join(root, 'docs/own-server/Containerfile'), 'utf8')
  const base = /^FROM (\S+)$/m.exec(text)![1]!
  for (const words of [
    ['image', 'exists', base],
    ['pull', '--quiet', base],
  ])
    if ((await execute('podman', words)).code === 0) return null
  return `its base image ${base} can't be fetched`
}

/** @param root folder of the project */
export async function runContainer(
  steps: Steps,
  workplace: Workplace,
  root: string,
): Promise<void> {
  const missing = await missingContainer(root)
  if (missing !== null) return steps.skip(`container: ${missing}`)
  const docs = new Documented(root)
  const port = await freePort()
  const tokens = join(workplace.folder, 'container-tokens.txt')
  const own = (command: string): string =>
    command.replaceAll(/\breports\b/g, NAME).replace('8787:', `127.0.0.1:${port}:`)
  const type = (command: string): Promise<string> =>
    succeed('bash', ['-c', `cd '${root}' && ${own(command)}`])
  const isHealthy = async (): Promise<void> => {
    while ((await execute('podman', ['healthcheck', 'run', NAME])).code !== 0)
      await succeed('podman', ['exec', NAME, 'true'])
  }
  const [pack, build, token, run] = (await docs.block(PAGE, 'In a container', 'sh'))
    .trim()
    .split(/\n(?! )/) as [string, string, string, string]
  workplace.defer(async () => {
    await execute('podman', ['rm', '--force', NAME])
    await execute('podman', ['volume', 'rm', NAME])
    await execute('podman', ['rmi', NAME])
  })

  const isBuilt = await steps.step('is built from the packed file', async () => {
    await type(pack)
    await type(build)
  })
  if (!isBuilt) return
  const url = `http://127.0.0.1:${port}`
  let headers = {}
  const certnames = async (): Promise<readonly string[]> => {
    const response = await fetch(`${url}/pdb/query/v4/nodes`, { headers })
    return (await response.json<{ certname: string }[]>()).map(({ certname }) => certname)
  }
  await steps.step('runs healthy, closed, read-only, and as a user that is not root', async () => {
    const printed = await type(token)
    headers = { authorization: `Bearer ${printed.split('\n')[0]}` }
    await writeFile(tokens, /^me admin \w+$/m.exec(printed)![0])
    await type(replaced(run, { 'tokens.txt': tokens }))
    await isHealthy()
    expectSame('user', (await succeed('podman', ['exec', NAME, 'id', '-un'])).trim(), 'node')
    const { errors } = await execute('podman', ['exec', NAME, 'touch', '/here'])
    expect(errors.includes('Read-only file system'), errors)
    expectSame('status', (await fetch(`${url}/pdb/query/v4/nodes`)).status, 401)
    // Node as process 1 would leave a zombie for each runtime that is replaced.
    const first = await succeed('podman', ['exec', NAME, 'cat', '/proc/1/comm'])
    expect(first.trim() !== 'node', first)
  })
  await steps.step('stores a report, is backed up, and restored once it is stopped', async () => {
    const now = new Date().toISOString()
    const times = { producer_timestamp: now, start_time: now, end_time: now }
    expectSame('status', await sendReport(url, CERTNAME, times, headers), 200)
    expectSame('nodes', await certnames(), [CERTNAME])
    const backup =
      'podman exec reports report-query-service backup --into /data/backups --data /data'
    await type(await docs.prose(PAGE, backup))
    await succeed('podman', ['stop', NAME])
    const restore = 'podman run --rm -v reports:/data reports restore /data/backups --data /data'
    await type(await docs.prose('how-to/back-up-and-restore.md', restore))
    await succeed('podman', ['start', NAME])
    await isHealthy()
    expectSame('nodes', await certnames(), [CERTNAME])
  })
}
