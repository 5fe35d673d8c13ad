/**
 * Roll-outs as stories: what broke with which code, what became of it, and what every surface says of it. Each story has
 * its own environment, and its reports arrive in an order that is not theirs.
 */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, request, store, submit } from './client.ts'
import { errorLine } from './fleets.ts'
import { page } from './page.ts'
import { event, report, resource } from './reports.ts'

const NOW = Date.parse('2026-03-09T12:00:00Z')
const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * 60_000).toISOString()

beforeAll(() => {
  vi.setSystemTime(NOW)
})

const COMMIT = { A: 'a1'.repeat(20), B: 'b2'.repeat(20), C: 'c3'.repeat(20) } as const
type Code = keyof typeof COMMIT

const SERVER = 'Could not retrieve catalog from remote server: '
/** Why a run failed: by a resource, or because it got no catalog. */
const MESSAGES: Readonly<Record<string, string>> = {
  nginx: 'Could not find package nginx',
  mirror: 'Cannot download repodata/repomd.xml: All mirrors were tried',
  disk: 'No space left on device',
  compile: `${SERVER}Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Resource Statement, Class[Db]: has no parameter named 'typo' (file: /etc/puppetlabs/code/environments/production/manifests/site.pp, line: 4) on node x`,
  syntax: `${SERVER}Error 500 on SERVER: Server Error: Syntax error at '}' (file: /etc/puppetlabs/code/hiera.pp, line: 3)`,
  certificate: `${SERVER}SSL_connect returned=1 errno=0 state=error: certificate verify failed (certificate has expired): [certificate has expired for CN=puppet]`,
  server: `${SERVER}Error 500 on SERVER: Server Error: Failed to submit 'replace facts' command to PuppetDB at puppetdb:8081`,
}
const OF_CATALOG = ['compile', 'syntax', 'certificate', 'server']

/**
 * A run, as in `web1 90 A ok`: node, minutes ago, code, what happened. `-` is a run without a catalog, and so without code;
 * with code, such a run used the cached catalog.
 */
function runOf(environment: string, line: string) {
  const [node = '', minutes = '', code = '', how = ''] = line.split(' ')
  const time = at(Number(minutes))
  const message = MESSAGES[how]?.replaceAll(
    /nginx|typo|repomd|expired for|facts|device/g,
    (word) => `${word} of ${environment}`,
  )
  const isOfCatalog = OF_CATALOG.includes(how)
  const common = {
    certname: `${node}.${environment}`,
    environment,
    code_id: null,
    configuration_version: code === '-' ? '' : `${environment}-${COMMIT[code as Code]}`,
    start_time: time,
    end_time: time,
    producer_timestamp: time,
  }
  if (how === 'ok') return report({ ...common, status: 'unchanged' })
  if (isOfCatalog)
    return report({
      ...common,
      status: code === '-' ? 'failed' : 'unchanged',
      cached_catalog_status: code === '-' ? 'not_used' : 'on_failure',
      resources: [],
      logs: [errorLine(message!)],
    })
  return report({
    ...common,
    status: 'failed',
    resources: [
      resource({
        timestamp: time,
        events: [event({ status: 'failure', message, timestamp: time })],
      }),
    ],
  })
}

/** `web1-3 90 A ok` is three runs. */
const expanded = (line: string): string[] => {
  const [, name, first, last, rest] = /^([a-z]+)(\d+)(?:-(\d+))? (.*)$/.exec(line)!
  const to = Number(last ?? first)
  return Array.from(
    { length: to - Number(first) + 1 },
    (_, index) => `${name}${Number(first) + index} ${rest}`,
  )
}

/** Stores the runs of a story, the later ones of each pair first. */
async function tell(environment: string, lines: readonly string[]): Promise<void> {
  const runs = lines.flatMap(expanded).map((line) => runOf(environment, line))
  const shuffled = runs.map((_, index) => runs[(index * 7 + 3) % runs.length]!)
  const isPermutation = new Set(shuffled).size === runs.length
  await store(...(isPermutation ? shuffled : runs.toReversed()))
}

const deployOf = (environment: string, code: Code, parameters = {}) =>
  ask(`/insight/v1/deploys/${environment}/${COMMIT[code]}`, parameters)

async function listed(environment: string, code: Code) {
  const { items } = await ask('/insight/v1/deploys', { environment, since: '30d' })
  return items.find((one: { code_version: string }) => one.code_version === COMMIT[code])
}

const incidentOf = async (environment: string) =>
  (await ask('/insight/v1/incident', { environment })).incident

/** How many nodes broke with a version: of the deploy's page, of the list and of its nodes, which must say the same. */
async function brokenBy(environment: string, code: Code) {
  const [deploy, item, nodes] = [
    await deployOf(environment, code),
    await listed(environment, code),
    await (
      await request(`/console/deploys/${environment}/${COMMIT[code]}.json`)
    ).json<{ broke: boolean; certname: string }[]>(),
  ]
  const { broke, broken_now, recovered, broke_silent, broke_deleted } = deploy
  expect(item).toMatchObject({ broke, broken_now, recovered, broke_silent, broke_deleted })
  expect(broke).toBe(broken_now + recovered + broke_silent + broke_deleted)
  expect(nodes.filter((one) => one.broke).length).toBe(broke - broke_deleted)
  expect(deploy.curve.broke).toHaveLength(broke)
  return [broke, broken_now, recovered]
}

describe('what broke with a version', () => {
  // The same fault of the server's data, in an environment without any new code.
  beforeAll(() => tell('bystander', ['db1-2 200 C ok', 'db1-2 40 - syntax', 'db1-2 10 - syntax']))

  it.each<
    [
      what: string,
      environment: string,
      runs: readonly string[],
      broken: Partial<Record<Code, readonly number[]>>,
    ]
  >([
    [
      'is nothing where nodes ran it well for days, and fail since a certificate expired',
      'certificate',
      [
        'web1-6 7200 A ok',
        'web1-6 5760 B ok',
        'web1-6 600 B ok',
        'web1-3 60 - certificate',
        'web4-6 60 B ok',
      ],
      { A: [0, 0, 0], B: [0, 0, 0] },
    ],
    [
      'is nothing where they ran it well and fail by a resource now',
      'later',
      ['web1-6 7200 A ok', 'web1-6 5760 B ok', 'web1-3 60 B disk', 'web4-6 60 B ok'],
      { B: [0, 0, 0] },
    ],
    [
      'counts nodes whose first run with it failed',
      'broke',
      ['web1-6 90 A ok', 'web1-3 30 B nginx', 'web4-6 29 B ok'],
      { A: [0, 0, 0], B: [3, 3, 0] },
    ],
    [
      'counts nodes that do not compile since it, without a version or with the cached one',
      'compile',
      [
        'web1-6 90 A ok',
        'web1-3 30 B ok',
        'web4-5 28 - compile',
        'web6 27 A compile',
        'web4-5 3 - compile',
        'web6 2 A compile',
        'web1-3 1 B ok',
      ],
      { A: [0, 0, 0], B: [3, 3, 0] },
    ],
    [
      'leaves out nodes that did not compile before it',
      'compiled',
      ['web1-4 120 A ok', 'web4 90 - compile', 'web1-3 30 B ok', 'web4 28 - compile'],
      { A: [0, 0, 0], B: [0, 0, 0] },
    ],
    [
      'leaves out failures of network and server',
      'network',
      [
        'web1-6 90 A ok',
        'web1-3 30 B ok',
        'web4 28 - certificate',
        'web5 28 A server',
        'web6 27 - server',
      ],
      { A: [0, 0, 0], B: [0, 0, 0] },
    ],
    [
      'stays after a rollback',
      'rollback',
      [
        'web1-6 90 A ok',
        'web1-6 60 B ok',
        'db1-2 90 A ok',
        'db1-2 58 B nginx',
        'db1-2 30 A ok',
        'web1-6 31 A ok',
      ],
      { B: [2, 0, 2], A: [0, 0, 0] },
    ],
    [
      'stays where nodes healed under the same code',
      'healed',
      ['web1-6 90 A ok', 'web1-3 60 B nginx', 'web4-6 60 B ok', 'web1-3 30 B ok'],
      { B: [3, 0, 3] },
    ],
    [
      'leaves out what failed nodes before, as a mirror that was down',
      'mirror',
      [
        'web1-6 200 A ok',
        'web1-2 120 A mirror',
        'web1-2 90 A mirror',
        'web1-2 60 B mirror',
        'web3-4 59 B mirror',
        'web5-6 58 B ok',
        'web3-4 30 B mirror',
      ],
      { A: [0, 0, 0], B: [0, 0, 0] },
    ],
    [
      'counts nodes that failed by it before others did without it',
      'spreading',
      [
        'web1-6 200 A ok',
        'web1-2 60 B nginx',
        'web3 50 A nginx',
        'web4 40 B nginx',
        'web5-6 39 B ok',
      ],
      { B: [2, 2, 0] },
    ],
    [
      'counts a cause again that was over before',
      'again',
      [
        'web1-6 300 A ok',
        'web1 200 A nginx',
        'web1 150 A ok',
        'web1-6 90 A ok',
        'web1-3 60 B nginx',
        'web4-6 59 B ok',
      ],
      { B: [3, 3, 0] },
    ],
    [
      'counts by the code that is rolled out: after a rollback no longer by the bad one',
      'returned',
      [
        'web1-9 300 A ok',
        'web1-9 250 A ok',
        'db1 250 A ok',
        'web1-3 200 B ok',
        'web1-9 150 A ok',
        'web1-9 120 A ok',
        'web1-9 100 A ok',
        'db1 60 - compile',
      ],
      { A: [0, 0, 0], B: [0, 0, 0] },
    ],
    [
      'counts what a node fails by once an older cause is over',
      'behind',
      [
        'web1-6 200 A ok',
        'web1-2 120 A mirror',
        'web3-4 60 B mirror',
        'web1-2 50 A ok',
        'web3-4 30 B nginx',
        'web5-6 58 B ok',
      ],
      { A: [0, 0, 0], B: [2, 2, 0] },
    ],
    [
      'leaves out a catalog that does not compile in another environment, too',
      'everywhere',
      ['web1-6 200 A ok', 'web1-3 60 B ok', 'web4-5 28 - syntax'],
      { B: [0, 0, 0] },
    ],
    [
      'is of the deploy before the next one, each with its own',
      'two',
      [
        'web1-6 300 A ok',
        'web1-2 200 B nginx',
        'web3-6 199 B ok',
        'web1-2 100 C nginx',
        'web3-4 99 C disk',
        'web5-6 98 C ok',
      ],
      { B: [2, 2, 0], C: [2, 2, 0] },
    ],
  ])('%s', async (_, environment, runs, broken) => {
    await tell(environment, runs)
    for (const [code, counts] of Object.entries(broken))
      expect([code, await brokenBy(environment, code as Code)]).toEqual([code, counts])
  })

  it('stands at the failing runs', async () => {
    const { curve, first_broken } = await deployOf('compile', 'B')
    expect(curve.broke).toEqual([at(28), at(28), at(27)])
    expect(first_broken.time).toBe(at(28))
    expect(await deployOf('certificate', 'B')).toMatchObject({
      first_broken: null,
      curve: { broke: [] },
    })
  })

  it('is the first one by its time of receipt where its clock is ahead', async () => {
    vi.setSystemTime(at(30))
    await tell('ahead', ['web1-6 200 A ok', 'web1 -60 B nginx'])
    vi.setSystemTime(NOW)
    await tell('ahead', ['web2-3 20 B nginx', 'web4-6 20 B ok'])
    const { curve, first_broken } = await deployOf('ahead', 'B')
    expect(curve.broke).toEqual([at(30), at(20), at(20)])
    expect(first_broken).toEqual({ certname: 'web1.ahead', time: at(30) })
  })

  it('keeps nodes that are deactivated or silent since', async () => {
    await tell('gone', [
      'web1-6 4000 A ok',
      'web1-3 3900 B nginx',
      'web4-6 3900 B ok',
      'web3-6 10 B ok',
    ])
    await submit(
      { certname: 'web1.gone', producer_timestamp: at(5) },
      { command: 'deactivate node', version: 3 },
    )
    expect(await deployOf('gone', 'B')).toMatchObject({
      broke: 3,
      broken_now: 0,
      recovered: 1,
      broke_silent: 1,
      broke_deleted: 1,
    })
  })
})

describe('the verdict', () => {
  it.each<[environment: string, code: Code, verdict: string, words: string]>([
    [
      'certificate',
      'B',
      'good',
      'No problem seen so far, on 6 of 6 nodes. 3 nodes get no catalog since.',
    ],
    ['later', 'B', 'done', 'Done, nothing broke. 6 of 6 nodes ran it.'],
    [
      'compile',
      'B',
      'unsafe',
      'Not safe to continue. 3 nodes fail for a reason that began with b2b2b2b2; with a1a1a1a1 they succeeded',
    ],
    [
      'rollback',
      'B',
      'left',
      'Nodes have left it. 8 of 8 nodes ran it; 2 nodes broke, and none of them fails now.',
    ],
    [
      'healed',
      'B',
      'good',
      'No common problem so far, on 6 of 6 nodes. 3 nodes broke with it: 0 still fail, 3 recovered.',
    ],
    [
      'network',
      'B',
      'good',
      'No problem seen so far, on 3 of 6 nodes. 3 nodes get no catalog since.',
    ],
  ])('of %s %s is %s', async (environment, code, verdict, words) => {
    expect(await deployOf(environment, code)).toMatchObject({ verdict })
    expect((await page(`/console/deploys/${environment}/${COMMIT[code]}`)).text).toContain(words)
  })
})

describe('the incident', () => {
  it.each<[environment: string, code: Code | null, since: number]>([
    ['certificate', null, 60],
    ['later', null, 60],
    ['broke', 'B', 30],
    ['compile', 'B', 28],
    ['mirror', null, 120],
    ['spreading', null, 60],
    ['again', 'B', 60],
  ])('of %s began with %s', async (environment, code, since) => {
    const { deploy, since: began } = await incidentOf(environment)
    expect([deploy?.code_version ?? null, began]).toEqual([
      code === null ? null : COMMIT[code],
      at(since),
    ])
  })

  it('has gone on since nodes failed that are well again', async () => {
    await tell('handed', [
      'web1-3 300 A ok',
      'web1 200 A nginx',
      'web2 180 A nginx',
      'web1 170 A ok',
      'web3 150 A nginx',
      'web2 140 A ok',
      'web3 100 A nginx',
    ])
    expect((await incidentOf('handed')).since).toBe(at(200))
  })

  it('began anew after nobody failed', async () => {
    await tell('anew', [
      'web1-3 300 A ok',
      'web1 200 A nginx',
      'web1 170 A ok',
      'web3 150 A nginx',
      'web3 100 A nginx',
    ])
    expect((await incidentOf('anew')).since).toBe(at(150))
  })

  it.each([
    ['names a version that 4 of 5 broke with', 'four', 4, COMMIT.B],
    ['names none that 3 of 4 broke with', 'three', 3, null],
    ['names none of two nodes of which one broke with it', 'one', 1, null],
  ])('%s', async (_, environment, broke, code) => {
    await tell(environment, ['web1-9 300 A ok', `web1-${broke} 60 B nginx`, 'web8 30 A nginx'])
    const { deploy } = await incidentOf(environment)
    expect(deploy?.code_version ?? null).toBe(code)
    const [cause] = (await ask('/insight/v1/causes', { environment })).items
    const { began_with } = await ask(`/insight/v1/causes/${cause.cause}`, { environment })
    expect(began_with?.code_version ?? null).toBe(code)
  })
})

describe('one commit', () => {
  const HASH = '0c1d2e3f4a5'
  beforeAll(async () => {
    const runs = ['a', 'b', 'c'].flatMap((compiler, index) =>
      [1, 2].flatMap((number) => [
        { ...runOf('compilers', `${compiler}${number} 90 A ok`) },
        {
          ...runOf(
            'compilers',
            `${compiler}${number} ${30 - index} B ${number === 1 ? 'nginx' : 'ok'}`,
          ),
          configuration_version: `puppet-${compiler}.example.com-compilers-${HASH}`,
        },
      ]),
    )
    await store(...runs)
  })

  it('through three compilers is one deploy', async () => {
    const { items } = await ask('/insight/v1/deploys', { environment: 'compilers' })
    expect(
      items.map((one: never) => [one['code_version'], one['nodes'], one['broke'], one['standing']]),
    ).toEqual([
      [HASH, 6, 3, 'current'],
      [COMMIT.A, 0, 0, 'replaced'],
    ])
    expect((await incidentOf('compilers')).deploy).toMatchObject({ code_version: HASH })
  })

  it('is found by each text that names it', async () => {
    const path = `/deploys/compilers/puppet-b.example.com-compilers-${HASH}`
    expect(await ask(`/insight/v1${path}`)).toMatchObject({ code_version: HASH, rolled_out: 6 })
    const { text } = await page('/console/deploys?env=compilers')
    expect(text).toContain(HASH.slice(0, 8))
  })
})

it('the list of deploys and Fleet keep saying what a deploy broke', async () => {
  expect((await page('/console/deploys?env=rollback')).text).toContain('broke 2, over')
  expect((await page('/console?env=rollback')).text).toContain('broke 2, over')
})

it('the list of causes names the code that a cause began with, as Fleet does', async () => {
  const textOf = async (path: string): Promise<string> => (await page(`${path}?env=broke`)).text
  expect(await textOf('/console')).toContain('after b2b2b2b2 reached broke')
  expect(await textOf('/console/causes')).toContain('with b2b2b2b2 in broke')
})

it('nothing is said to have broken nothing once the reports before it are deleted', async () => {
  const cellsOf = async () => (await page('/console/deploys?env=later')).text
  expect(await listed('later', 'B')).toMatchObject({ broke: 0, remembered: true })
  expect(await cellsOf()).toContain('none')
  const kept = (NOW - 90 * 60_000) * 1024
  await env.DB.prepare('delete from reports where id < ?1').bind(kept).run()
  expect(await listed('later', 'B')).toMatchObject({ broke: 0, remembered: false })
  expect(await cellsOf()).not.toContain('none')
})
