/** Since when nodes fail by a cause, and how it ended the last time; what comes next on the page of the incident. */

import { describe, expect, it, vi } from 'vitest'
import { ask, costOf, request } from './client.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'
import { at, event, resource, type Payload } from './reports.ts'

let count = 0
type Line = readonly [node: string, letters: string, code?: string]

/** The cause of a fleet of its own: `F` fails by it, the letters of `code` are the code version of each run. */
async function causeOfFleet(...lines: readonly Line[]) {
  const name = `stretch${String.fromCharCode(97 + Math.floor(++count / 26), 97 + (count % 26))}`
  const message = `The ${name} is broken`
  const failed = { resources: [resource({ events: [event({ status: 'failure', message })] })] }
  const runs = lines.flatMap(([node, letters, code]): Payload[] =>
    [...letters].flatMap((letter, index) =>
      runsOf(`${name}-${node}`, letter, (letters.length - 1 - index) * HALF_HOUR).map((run) => ({
        ...run,
        environment: name,
        ...(code === undefined ? {} : { code_id: `${code[index]!.repeat(8)}-${name}` }),
        ...(letter === 'F' ? failed : {}),
      })),
    ),
  )
  runs.sort((one, other) =>
    String(one['producer_timestamp']) < String(other['producer_timestamp']) ? -1 : 1,
  )
  await storeInTime(...runs)
  const { items } = await ask('/insight/v1/causes', { environment: name })
  const [listed] = items.filter(({ reason }: { reason: string }) => reason === message)
  return {
    name,
    listed,
    shown: await ask(`/insight/v1/causes/${listed.cause}`, { environment: name }),
  }
}

/** So many half hours before noon. */
const halves = (number: number): string => at(-number * HALF_HOUR)

describe('since', () => {
  it.each<[about: string, since: string | null, lines: readonly Line[]]>([
    ['the first of all', halves(2), [['a', '-FFF']]],
    ['the present stretch, not the one before', halves(1), [['a', 'FF--FF']]],
    [
      'the first of the nodes that fail now',
      halves(3),
      [
        ['a', '--FFFF'],
        ['b', '-----F'],
      ],
    ],
    [
      'not that of a node that runs well again',
      halves(1),
      [
        ['a', 'FFF---'],
        ['b', '----FF'],
      ],
    ],
    [
      'the first of nodes that fail in turn for 30 hours',
      halves(59),
      [
        ['a', 'F-'.repeat(30)],
        ['b', '-F'.repeat(30)],
      ],
    ],
    ['none where it is over', null, [['a', 'FF-']]],
  ])('%s', async (_, since, lines) => {
    const { listed, shown } = await causeOfFleet(...lines)
    expect([listed.since, shown.since]).toEqual([since, since])
  })
})

describe('the last time', () => {
  it.each<[about: string, expected: object | null, lines: readonly Line[]]>([
    ['never was', null, [['a', '-FFF']]],
    [
      'ended with other code',
      { since: halves(3), until: halves(1), seconds: 3600, nodes: 1, code_changed: true },
      [['a', '-FF-F', 'aaabb']],
    ],
    [
      'ended without other code',
      { since: halves(3), until: halves(1), nodes: 1, code_changed: false },
      [['a', '-FF-F', 'aaaaa']],
    ],
    [
      'lasted until the last node ran well',
      { since: halves(6), until: halves(2), seconds: 7200, nodes: 2 },
      [
        ['a', 'FFF----'],
        ['b', '--FF--F'],
      ],
    ],
    ['is the last of several', { since: halves(1), until: halves(0), nodes: 1 }, [['a', 'F-F-F-']]],
    [
      'is not one that still goes on on another node',
      null,
      [
        ['a', '-FF---'],
        ['b', '--FFFF'],
      ],
    ],
    [
      'is not told where no run followed',
      null,
      [
        ['a', 'F'],
        ['b', '-F'],
      ],
    ],
  ])('%s', async (_, expected, lines) => {
    const { shown } = await causeOfFleet(...lines)
    if (expected === null) expect(shown.last_time).toBe(null)
    else expect(shown.last_time).toMatchObject(expected)
  })

  it('stands on the page, with the run that ended it', async () => {
    const { shown, name } = await causeOfFleet(['a', '-FF-F', 'aaabb'])
    const { text, links } = await page(`/console/causes/${shown.cause}`)
    expect(text).toContain(`with a run of ${name}-a, on new code`)
    expect(links).toContain(`/console/reports/${shown.last_time.report}`)
  })
})

describe('the spread', () => {
  // Steps of half hours; the span's hours are divided by two hundred. A node leaves with its first run without the cause.
  it.each<[about: string, nodes: readonly number[], lines: readonly Line[]]>([
    ['one node that still fails', [1], [['a', '-FF']]],
    [
      'nodes that come one after another',
      [1, 2, 3],
      [
        ['a', 'FFF'],
        ['b', '-FF'],
        ['c', '--F'],
      ],
    ],
    [
      'nodes that come and go',
      [1, 2, 1],
      [
        ['a', 'FFF'],
        ['b', '-F-'],
      ],
    ],
    ['over', [1, 0], [['a', 'F--']]],
  ])('%s', async (_, nodes, lines) => {
    const { shown } = await causeOfFleet(...lines)
    expect(shown.spread.map((step: { nodes: number }) => step.nodes)).toEqual(nodes)
    const firsts = shown.affected.map(({ first }: { first: string }) => first)
    expect(shown.spread[0].time).toBe(firsts.toSorted()[0])
  })
})

describe('what failing nodes have in common', () => {
  it('says the code and the group of names, and not what others have as often', async () => {
    const { shown, name } = await causeOfFleet(
      ...[...'123'].map((node): Line => [`web${node}`, '-F', 'ab']),
      ...[...'12345'].map((node): Line => [`db${node}`, '--', 'aa']),
      ['web9', '--', 'aa'],
    )
    const { text } = await page(`/console/causes/${shown.cause}?env=${name}`)
    const [, traits] = text.split('What they have in common')
    expect(traits).toContain(
      `code bbbbbbbb 3 of 3 0 of 6 name begins with ${name}-web 3 of 3 1 of 6 Sorted`,
    )
    expect(traits!.split('Ordered')[0]).not.toContain('environment')
  })

  it.each<[about: string, lines: readonly Line[]]>([
    ['too few fail', [...'12'].map((node): Line => [`web${node}`, '-F'])],
    ['all nodes fail', [...'1234'].map((node): Line => [`web${node}`, '-F'])],
  ])('is silent where %s', async (_, lines) => {
    const { shown, name } = await causeOfFleet(...lines)
    const { text } = await page(`/console/causes/${shown.cause}?env=${name}`)
    expect(text).not.toContain('What they have in common')
    expect(text).not.toContain('Next in line')
  })
})

describe('the page of a cause', () => {
  it('exports the nodes that failed by it', async () => {
    const { shown } = await causeOfFleet(['a', '-F'], ['b', '-F'], ['c', '--'])
    const rows = await (await request(`/console/causes/${shown.cause}.json`)).json()
    expect(rows).toEqual(shown.affected)
    expect(rows).toHaveLength(2)
  })

  it('has the sentence, and when the next node is due', async () => {
    const webs = [...'123456'].map((node): Line => [`web${node}`, '---F', 'aaab'])
    // Each hour; the last time half an hour ago.
    const late = [...'789'].map((node): Line => [`web${node}`, '-.-.-.-.', 'aaaaaaaa'])
    const { shown, name } = await causeOfFleet(...webs, ...late)
    vi.setSystemTime(Date.parse(at(60_000)))
    const { text } = await page(`/console/causes/${shown.cause}?env=${name}`)
    expect(text).toMatch(
      /Since 12:00, after \S+ reached \w+, 6 of 9 nodes fail at .* They are all 6 \S+-web nodes that ran it; 3 more have not run it yet, and the next is due within 29 minutes\./,
    )
    // Each of them is named, with the time of its next run.
    expect(text).toMatch(/Next in line 3 nodes/)
    for (const node of '789') expect(text).toContain(`${name}-web${node}`)
    expect(text.match(/about 12:30/g)).toHaveLength(3)
    const { incident } = await ask('/insight/v1/incident', { environment: name })
    expect(incident.group).toMatchObject({ waiting: 3, next_minutes: 29 })
    vi.setSystemTime(Date.parse(at(40 * 60_000)))
    expect((await page(`/console/causes/${shown.cause}?env=${name}`)).text).toContain(
      '3 more have not run it yet.',
    )
    expect((await page(`/console/causes/${shown.cause}?env=${name}`)).text).toContain('due now')
  })

  it.each([
    // Its marks need the silent groups, and its list the code that causes began with.
    ['/console/causes', 7],
    ['/console', 6],
    ['/console?env=production', 6],
    // Without a span, a store of two days is asked again by hours.
    ['/console/trends?since=7d', 6],
    ['/console/trends?env=production&since=7d', 6],
    ['/console/causes/CAUSE', 6],
    ['/console/causes/CAUSE?env=ENV', 6],
    ['/console?layout=wall', 6],
  ])('%s takes one round trip of at most %i statements', async (path, most) => {
    const { shown, name } = await causeOfFleet(['a', '-FF-F'])
    const response = await request(path.replace('CAUSE', shown.cause).replace('ENV', name), {
      headers: { accept: 'text/html' },
    })
    await response.text()
    const { roundTrips, statements } = costOf(response)
    expect([response.status, roundTrips]).toEqual([200, 1])
    expect(statements).toBeLessThanOrEqual(most)
  })
})
