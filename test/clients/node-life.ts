/** The terminus's own commands about nodes, as an operator gives them on the server: `puppet node deactivate` and `puppet node status`. */

import { CERTNAME } from './agent.ts'
import { expect, expectSame } from './compare.ts'
import { ask, type Row, type Target } from './query.ts'
import type { Site } from './site.ts'
import type { Steps } from './steps.ts'

/** Has the agent's node leave and come back. */
export async function deactivateAndReturn(
  steps: Steps,
  { agent, server, target }: Site,
): Promise<void> {
  const expectStatus = async (words: string): Promise<void> => {
    const { code, output, errors } = await server.node('status', CERTNAME)
    expectSame(`exit code (${errors})`, code, 0)
    expect(output.includes(words), `"${words}" is not in: ${output.trim()}`)
  }
  await steps.step('puppet node status: the node is active', () => expectStatus('Currently active'))
  await steps.step('puppet node deactivate: the node is gone from /nodes', async () => {
    expect(await isListed(target), 'the node was not listed before')
    const { code, output, errors } = await server.node('deactivate', CERTNAME)
    expectSame(`exit code (${errors})`, code, 0)
    expect(output.includes(`Submitted 'deactivate node' for ${CERTNAME} with UUID`), output)
    expect(!(await isListed(target)), 'the node is still listed')
    const node = await ask<Row>(target, `/nodes/${CERTNAME}`)
    expect(typeof node['deactivated'] === 'string', 'the node says nothing of its deactivation')
  })
  await steps.step('puppet node status: the node is deactivated', () =>
    expectStatus('Deactivated at 2'),
  )
  await steps.step('the next report brings the node back', async () => {
    await agent.apply()
    expect(await isListed(target), 'the node is not listed')
    const node = await ask<Row>(target, `/nodes/${CERTNAME}`)
    expectSame('deactivated', node['deactivated'], null)
    await expectStatus('Currently active')
  })
}

async function isListed(target: Target): Promise<boolean> {
  const nodes = await ask(target, '/nodes', { query: ['extract', 'certname'] })
  return nodes.some(({ certname }) => certname === CERTNAME)
}
