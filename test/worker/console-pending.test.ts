/** The preview of noop over the fleet: which changes are pending in the latest runs, and how many nodes they touch. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask } from './client.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'
import { event, resource } from './reports.ts'

/** A noop run of a node that would change a file, and on request the service behind it. */
function pendingRun(certname: string, value: string, alsoService = false) {
  const pending = (parts: object) => event({ status: 'noop', property: 'content', ...parts })
  return runsOf(certname, 'c', 0, {
    environment: 'staging',
    resources: [
      resource({
        resource_type: 'File',
        resource_title: '/etc/motd',
        events: [pending({ old_value: 'old', new_value: value })],
      }),
      ...(alsoService
        ? [
            resource({
              resource_type: 'Service',
              resource_title: 'nginx',
              events: [pending({ property: 'ensure', old_value: 'stopped', new_value: 'running' })],
            }),
          ]
        : []),
    ],
  })
}

it('only the chip of pending changes has a hollow mark', async () => {
  const { html } = await page('/console/nodes')
  const marks = [
    ...html.matchAll(/<span class="st \w+"><svg class="(i(?: would)?)"[^]*?<\/span\s*>([\w ]+)/g),
  ]
  const chips = new Map(marks.map(([, mark, word]) => [word!.trim(), mark]))
  expect([...chips].filter(([, mark]) => mark === 'i would').map(([word]) => word)).toEqual([
    'Pending',
  ])
})

beforeAll(async () => {
  await storeInTime(
    ...pendingRun('noop-1', 'one', true),
    ...pendingRun('noop-2', 'one'),
    // Its later run was a real one: nothing is pending any more.
    ...runsOf('noop-3', 'cC'),
    ...runsOf('noop-4', 'C-'),
  )
})

describe('pending changes', () => {
  it('are those of each node’s latest run, by the nodes that they would touch', async () => {
    const { nodes, resources, items } = await ask('/insight/v1/pending')
    expect({ nodes, resources }).toEqual({ nodes: 2, resources: 2 })
    expect(items).toMatchObject([
      {
        ...{ resource_type: 'File', resource_title: '/etc/motd', nodes: 2, property: 'content' },
        ...{ old_value: '"old"', new_value: '"one"' },
      },
      { resource_type: 'Service', resource_title: 'nginx', nodes: 1, certname: 'noop-1' },
    ])
  })

  it('have no value where nodes differ, and follow the scope', async () => {
    await storeInTime(...pendingRun('noop-5', 'another').map((run) => ({ ...run })))
    const { items } = await ask('/insight/v1/pending', { environment: 'staging', limit: 1 })
    expect(items).toMatchObject([{ resource_title: '/etc/motd', nodes: 3, new_value: null }])
    expect(await ask('/insight/v1/pending', { environment: 'production' })).toMatchObject({
      ...{ nodes: 0, resources: 0, items: [] },
    })
  })

  it('stand on a page, each linked with the runs that found it', async () => {
    const { text, links } = await page('/console/changes?kind=noop')
    expect(text).toContain('2 resources would change on 3 nodes')
    expect(text).toContain('values differ')
    expect(links).toContain('/console/changes?resource=File%5B%2Fetc%2Fmotd%5D&kind=noop&since=all')
    expect((await page('/console/changes?kind=noop&env=production')).text).toContain(
      'No pending changes',
    )
  })
})

describe('small pictures and old links', () => {
  it('a strip says its runs to the pointer, too', async () => {
    const strips = await (await page('/console/nodes?q=noop-3')).texts('svg.strip > title')
    expect(strips).toEqual([expect.stringMatching(/^2 runs, newest last: 1 pending.*1 changed$/)])
  })

  it('the run time of one run is no line', async () => {
    expect((await page('/console/nodes/noop-1')).text).toContain('A line needs two runs.')
    expect((await page('/console/nodes/noop-3')).text).not.toContain('A line needs two runs.')
  })

  it('the address of a cause that is gone leads to the search', async () => {
    const { status, text, links } = await page('/console/causes/0123456789abcdef')
    expect(status).toBe(404)
    expect(text).toContain('This cause is gone or has a new name')
    expect(links).toContain('/console/causes?since=all')
  })
})
