/** The node that a failing one is compared with: of its group, environment and code, and well. */

import { describe, expect, it } from 'vitest'
import { ask, costOf, request } from './client.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'

let count = 0
/** Its latest run, `F` for a failed one, its code, and its environment. */
type Node = readonly [name: string, letter: string, code?: string, environment?: string]

/** Stores the nodes, whose names begin with a word of their own. @returns the word */
async function fleetOf(...nodes: readonly Node[]): Promise<string> {
  const word = `hood${String.fromCharCode(97 + ++count)}`
  await storeInTime(
    ...nodes.flatMap(([name, letter, code = 'one', environment = word], index) =>
      runsOf(`${word}-${name}`, letter, index + HALF_HOUR).map((run) => ({
        ...run,
        environment,
        code_id: code,
      })),
    ),
  )
  return word
}

describe('the healthy neighbour', () => {
  it.each<[about: string, expected: string | null, nodes: readonly Node[]]>([
    [
      'has the name that is most alike',
      'web-13',
      [
        ['web-12', 'F'],
        ['web-20', '-'],
        ['web-13', '-'],
        ['web-01', '-'],
      ],
    ],
    [
      'may come before',
      'web-11',
      [
        ['web-12', 'F'],
        ['web-11', '-'],
        ['web-20', '-'],
      ],
    ],
    [
      'does not fail itself',
      'web-20',
      [
        ['web-12', 'F'],
        ['web-13', 'F'],
        ['web-20', '-'],
      ],
    ],
    [
      'ran the same code',
      'web-20',
      [
        ['web-12', 'F'],
        ['web-13', '-', 'two'],
        ['web-20', '-'],
      ],
    ],
    [
      'is of the same environment',
      'web-20',
      [
        ['web-12', 'F'],
        ['web-13', '-', 'one', 'elsewhere'],
        ['web-20', '-'],
      ],
    ],
    [
      'is of the same group',
      null,
      [
        ['web-12', 'F'],
        ['wea-12', '-'],
      ],
    ],
    [
      'is not shown for a node that runs well',
      null,
      [
        ['web-12', '-'],
        ['web-13', '-'],
      ],
    ],
  ])('%s', async (_, expected, nodes) => {
    const word = await fleetOf(...nodes)
    const { neighbour } = await ask(`/insight/v1/nodes/${word}-web-12`)
    expect(neighbour?.certname ?? null).toBe(expected && `${word}-${expected}`)
  })

  it('is no inactive node', async () => {
    const word = await fleetOf(['web-12', 'F'], ['web-13', '-'])
    await request('/admin/v1/cmd', {
      method: 'POST',
      body: JSON.stringify({
        command: 'delete',
        version: 1,
        payload: { certname: `${word}-web-13` },
      }),
    })
    expect((await ask(`/insight/v1/nodes/${word}-web-12`)).neighbour).toBe(null)
  })

  it('is on the page, with the comparison of both runs', async () => {
    const word = await fleetOf(['web-12', 'F'], ['web-13', '-'])
    const { neighbour, report } = await ask(`/insight/v1/nodes/${word}-web-12`)
    const { text, links } = await page(`/console/nodes/${word}-web-12`)
    expect(text).toContain(`A healthy neighbour, ${word}-web-13, is of the same group`)
    expect(links).toContain(`/console/diff/${neighbour.report}..${report}`)
  })

  it('takes no statement of its own', async () => {
    const word = await fleetOf(['web-12', 'F'], ['web-13', '-'])
    const response = await request(`/console/nodes/${word}-web-12`, {
      headers: { accept: 'text/html' },
    })
    await response.text()
    expect(costOf(response)).toMatchObject({ roundTrips: 1, statements: 6 })
  })
})
