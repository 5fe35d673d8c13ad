/** The terminus's own commands about nodes: `puppet node deactivate` and `puppet node status`. */

import { CERTNAME, type Agent } from './agent.ts'
import { expect, expectSame } from './compare.ts'
import { ask, type Row } from './query.ts'
import type { Steps } from './steps.ts'

/** Has the agent's node leave and come back. */
export async function deactivateAndReturn(steps: Steps, agent: Agent, url: string): Promise<void> {
  await steps.step('puppet node status: the node is active', () =>
    expectStatus(agent, 'Currently active'),
  )
  await steps.step('puppet node deactivate: the node is gone from /nodes', async () => {
    expect(await isListed(url), 'the node was not listed before')
    const answer = await agent.node('deactivate')
    expect(answer.includes(`Submitted 'deactivate node' for ${CERTNAME} with UUID`), answer)
    expect(!(await isListed(url)), 'the node is still listed')
    const node = await ask<Row>(url, `/nodes/${CERTNAME}`)
    expect(typeof node['deactivated'] === 'string', 'the node says nothing of its deactivation')
  })
  await steps.step('puppet node status: the node is deactivated', () =>
    expectStatus(agent, 'Deactivated at 2'),
  )
  await steps.step('the next report brings the node back', async () => {
    await agent.apply()
    expect(await isListed(url), 'the node is not listed')
    const node = await ask<Row>(url, `/nodes/${CERTNAME}`)
    expectSame('deactivated', node['deactivated'], null)
    await expectStatus(agent, 'Currently active')
  })
}

async function expectStatus(agent: Agent, words: string): Promise<void> {
  const answer = await agent.node('status')
  expect(answer.includes(words), `"${words}" is not in: ${answer.trim()}`)
}

async function isListed(url: string): Promise<boolean> {
  const nodes = await ask(url, '/nodes', { query: ['extract', 'certname'] })
  return nodes.some(({ certname }) => certname === CERTNAME)
}
