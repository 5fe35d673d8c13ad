/** Single sign-on by a proxy: nginx as docs/how-to/use-a-proxy.md configures it signs people in, and names them to the service. */

import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { startService } from '../../worker/local/service.ts'
import { freePort } from '../free-port.ts'
import { expectSame } from './compare.ts'
import { NAME, startNginx, untilListening } from './proxies.ts'
import type { Steps } from './steps.ts'
import type { Workplace } from './workplace.ts'

const PROXY_TOKEN = 'rqs_proxy'
const DIGEST = createHash('sha256').update(PROXY_TOKEN).digest('hex')
const PEOPLE = { anna: 'sesame', bob: 'tulip', carl: 'lamp' }

/** @param root folder of the project */
export async function signOnByNginx(
  steps: Steps,
  workplace: Workplace,
  root: string,
): Promise<void> {
  const port = await freePort()
  const settings = {
    ACCESS: 'closed',
    PUBLIC_URL: `https://${NAME}:${port}`,
    TOKENS: `sso admin ${DIGEST} user-header=X-Remote-User group-header=X-Remote-Groups`,
    PEOPLE: 'anna admin\nbob read\ngroup:ops admin',
  }
  const service = await startService({ root, host: '127.0.0.1', port: 0, data: null, settings })
  workplace.defer(service.stop)
  const page = await readFile(join(root, 'docs/how-to/use-a-proxy.md'), 'utf8')
  const section = page.slice(page.indexOf('## Single sign-on'))
  const file = join(workplace.folder, 'people')
  const lines = Object.entries(PEOPLE).map(([name, password]) => `${name}:{PLAIN}${password}`)
  await writeFile(file, lines.join('\n'))
  const block = /```nginx\n([^`]*\n)```/
    .exec(section)![1]!
    .replace('TOKEN', PROXY_TOKEN)
    .replace('/etc/nginx/people', file)
  const place = { name: 'single-sign-on', block, port, service: service.url }
  const running = await startNginx(workplace, place)
  if (running === null) return steps.skip('single sign-on by nginx: it is not installed')

  const status = (
    person: keyof typeof PEOPLE | null,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const auth = person === null ? {} : { auth: `${person}:${PEOPLE[person]}` }
      const options = { port, path, rejectUnauthorized: false, headers, ...auth }
      const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode))
      })
      sent.on('error', reject)
      sent.end()
    })
  await steps.step('single sign-on by nginx: each person has the scopes of PEOPLE', async () => {
    await untilListening(running, () => status(null, '/console'))
    const [console, administration] = ['/console/nodes', '/admin/v1/retention']
    expectSame('nobody', await status(null, console), 401)
    expectSame('anna reads', await status('anna', console), 200)
    expectSame('anna administers', await status('anna', administration), 200)
    expectSame('bob reads', await status('bob', console), 200)
    expectSame('bob administers', await status('bob', administration), 403)
    expectSame('carl, whom PEOPLE does not name', await status('carl', console), 403)
  })
  await steps.step('single sign-on by nginx: headers of a client name nobody', async () => {
    const forged = { 'x-remote-user': 'anna', 'x-remote-groups': 'ops' }
    expectSame('bob', await status('bob', '/admin/v1/retention', forged), 403)
    const direct = await fetch(`${service.url}/pdb/query/v4/nodes`, { headers: forged })
    expectSame('without the proxy', direct.status, 401)
  })
}
