/** Where it is said how many nodes there are, which of them fail or are silent, and how new all that is. */

import { failingNodes, nodesOf } from '../evaluator/fleet.ts'
import {
  clockOffOf,
  groupSilences,
  isCalm,
  isSilent,
  newestTime,
  silentNodes,
} from '../evaluator/silence.ts'
import { isMarked, openCauses } from '../evaluator/causes.ts'
import type { Question } from '../evaluator/fleet.ts'
import type { Documents } from '../documents.ts'
import { isWhole, numberBefore, one, timestamp, type Surface } from './surface.ts'

interface NodeItem {
  readonly certname: string
  readonly silent: boolean
  readonly run: { readonly state: string }
  readonly clock_off: number | null
}
interface StateItem {
  readonly state: string
  readonly count: number
  readonly silent: number
}

const nodesListed = async (documents: Documents): Promise<readonly NodeItem[]> =>
  (await documents.insight('nodes?limit=500&runs=1')).items as readonly NodeItem[]

const countOf = (question: Question, { nodes }: { readonly nodes: readonly unknown[] }) =>
  one(nodes.length)
const nodeCount = (question: Question) => countOf(question, { nodes: nodesOf(question) })
const failingCount = (question: Question) => countOf(question, { nodes: failingNodes(question) })
const silentCount = (question: Question) => countOf(question, { nodes: silentNodes(question) })
const heardOf = (question: Question, state: 'unchanged' | 'pending') =>
  countOf(question, {
    nodes: nodesOf(question).filter((node) => node.latest[state] && !isSilent(question, node)),
  })

const headingOf = async (documents: Documents): Promise<string> =>
  (await (await documents.page('')).texts('h1'))[0] ?? ''

/** The words of the page that are about the whole fleet: its title, its heading, its sentence. */
const saysOf = async (documents: Documents, path: string): Promise<string> => {
  const page = await documents.page(path)
  return [page.title, ...(await page.texts('h1')), ...(await page.texts('section'))].join(' ')
}
const saysCalm = async (documents: Documents, path: string) =>
  one(/Nothing fails/.test(await saysOf(documents, path)))
const calm = (question: Question) => one(isCalm(question))

/** The wall is a layout of Fleet. */
const WALL = '?layout=wall'

/** The number below the bar of Fleet; states without a node have none. */
const tileOf = async (documents: Documents, words: RegExp): Promise<number> => {
  const tiles = await (await documents.page('')).texts('.legend a')
  return numberBefore(tiles.find((tile) => words.test(tile)) ?? '', words) ?? 0
}

const metric = async (documents: Documents, name: string): Promise<number | null> => {
  const line = (await documents.text('/metrics')).split('\n').find((one) => one.startsWith(name))
  return line === undefined ? null : Number(line.split(' ').at(-1))
}

const marks = async (documents: Documents, path: string) => {
  const { title, html } = await documents.page(path)
  return { '●': title.startsWith('● '), icon: html.includes('%23b3140c') }
}
const marked = (question: Question) => ({ '●': isMarked(question), icon: isMarked(question) })

const badge = async (documents: Documents, path: string) => {
  const { html } = await documents.page(path)
  return one(Number(/data-go="c"[^>]*>Causes\s*<b[^>]*>(\d+)</.exec(html)?.[1] ?? 0))
}
const openCount = (question: Question) => one(openCauses(question).length)

export const FLEET_SURFACES: readonly Surface[] = [
  {
    kind: 'nodes',
    on: '/insight/v1/fleet',
    shown: async (documents) => one((await documents.insight('fleet')).nodes),
    truth: nodeCount,
  },
  {
    kind: 'nodes',
    on: '/insight/v1/nodes',
    shown: async (documents) =>
      Object.fromEntries((await nodesListed(documents)).map(({ certname }) => [certname, true])),
    truth: (question) =>
      Object.fromEntries(nodesOf(question).map(({ certname }) => [certname, true])),
  },
  {
    kind: 'nodes',
    on: '/metrics',
    is: isWhole,
    shown: async (documents) => one(await metric(documents, 'puppet_nodes{activity="active"}')),
    truth: nodeCount,
  },
  {
    kind: 'failing',
    on: '/insight/v1/fleet',
    shown: async (documents) =>
      one(
        ((await documents.insight('fleet')).states as StateItem[])
          .filter(({ state }) => state === 'failed')
          .reduce((sum, { count }) => sum + count, 0),
      ),
    truth: failingCount,
  },
  {
    kind: 'failing',
    on: '/insight/v1/causes',
    shown: async (documents) => one((await documents.insight('causes?limit=500')).failing ?? 0),
    truth: failingCount,
  },
  {
    kind: 'failing',
    on: 'heading of Fleet',
    shown: async (documents) =>
      one(numberBefore(await headingOf(documents), /nodes? failing now/) ?? 0),
    truth: failingCount,
  },
  {
    kind: 'failing',
    on: 'title of the wall',
    shown: async (documents) =>
      one(numberBefore((await documents.page(WALL)).title, /nodes? failing/) ?? 0),
    truth: failingCount,
  },
  {
    kind: 'silent',
    on: '/insight/v1/fleet',
    shown: async (documents) => one((await documents.insight('fleet')).silent),
    truth: silentCount,
  },
  {
    kind: 'silent',
    on: '/insight/v1/nodes',
    shown: async (documents) =>
      Object.fromEntries(
        (await nodesListed(documents)).map(({ certname, silent }) => [certname, silent]),
      ),
    truth: (question) =>
      Object.fromEntries(
        nodesOf(question).map((node) => [node.certname, isSilent(question, node)]),
      ),
  },
  {
    kind: 'silent',
    on: '/insight/v1/map',
    shown: async (documents) => {
      const { groups } = (await documents.insight('map')) as {
        groups: readonly { readonly cells: readonly NodeItem[] }[]
      }
      return one(groups.flatMap(({ cells }) => cells).filter(({ silent }) => silent).length)
    },
    truth: silentCount,
  },
  {
    kind: 'silent',
    on: 'tiles of Fleet',
    is: (_documents, question) => nodesOf(question).length > 0,
    shown: async (documents) => one(await tileOf(documents, /silent/)),
    truth: silentCount,
  },
  {
    kind: 'silent',
    on: 'deploys in use',
    shown: async (documents) =>
      one(
        ((await documents.insight('deploys')).in_use as { silent: number }[]).reduce(
          (sum, { silent }) => sum + silent,
          0,
        ),
      ),
    truth: silentCount,
  },
  {
    kind: 'silent',
    on: 'fleet_status',
    // An environment without nodes is refused.
    is: (_documents, question) => nodesOf(question).length > 0,
    shown: async (documents) =>
      one(Number(/"silent":(\d+)/.exec(await documents.tool('fleet_status'))?.[1])),
    truth: silentCount,
  },
  {
    kind: 'silent',
    on: '/metrics',
    is: isWhole,
    shown: async (documents) => one(await metric(documents, 'puppet_silent_nodes')),
    truth: silentCount,
  },
  ...(['unchanged', 'pending'] as const).map((state): Surface => ({
    kind: state,
    on: 'tiles of Fleet',
    is: (_documents, question) => nodesOf(question).length > 0,
    shown: async (documents) => one(await tileOf(documents, new RegExp(state))),
    truth: (question) => heardOf(question, state),
  })),
  {
    kind: 'calm',
    on: '/insight/v1/fleet',
    shown: async (documents) => one((await documents.insight('fleet')).calm),
    truth: calm,
  },
  {
    kind: 'calm',
    on: 'Fleet',
    shown: (documents) => saysCalm(documents, ''),
    truth: calm,
  },
  {
    kind: 'calm',
    on: 'the wall',
    shown: (documents) => saysCalm(documents, WALL),
    truth: calm,
  },
  {
    kind: 'calm',
    on: 'fleet_status',
    shown: async (documents) => one(/"calm":true/.test(await documents.tool('fleet_status'))),
    truth: calm,
  },
  {
    kind: 'group silence',
    on: '/insight/v1/fleet',
    shown: async (documents) => {
      const { silent_groups: groups = [] } = (await documents.insight('fleet')) as {
        silent_groups?: readonly { group: string; silent: number; nodes: number; since: string }[]
      }
      return Object.fromEntries(
        groups.map(({ group, silent, nodes, since }) => [group, { silent, nodes, since }]),
      )
    },
    truth: (question) =>
      Object.fromEntries(
        groupSilences(question).map(({ group, silent, nodes, since }) => [
          group,
          { silent, nodes, since: timestamp(since) },
        ]),
      ),
  },
  ...(
    [
      ['Fleet', (documents) => saysOf(documents, '')],
      ['the wall', (documents) => saysOf(documents, WALL)],
    ] as readonly (readonly [string, (documents: Documents) => Promise<string>])[]
  ).map(([on, read]): Surface => ({
    kind: 'group silence',
    on,
    is: (_documents, question) => groupSilences(question).length > 0,
    shown: async (documents) => one((await read(documents)).includes('silent')),
    truth: () => one(true),
  })),
  {
    kind: 'newest',
    on: '/insight/v1/fleet',
    shown: async (documents) => one((await documents.insight('fleet')).newest),
    truth: (question) => one(timestamp(newestTime(question))),
  },
  {
    kind: 'newest',
    on: 'fleet_status',
    is: (_documents, question) => nodesOf(question).length > 0,
    shown: async (documents) =>
      one(/"newest":"([^" ]+)/.exec(await documents.tool('fleet_status'))?.[1]),
    truth: (question) => one(timestamp(newestTime(question))!.replace(/\.\d+Z/, 'Z')),
  },
  {
    kind: 'newest',
    on: '/metrics',
    is: isWhole,
    shown: async (documents) =>
      one(await metric(documents, 'report_service_newest_report_timestamp_seconds')),
    truth: (question) => one(newestTime({ ...question, deactivated: new Map() })! / 1000),
  },
  {
    kind: 'live updates',
    on: 'Fleet',
    is: (_documents, question) => nodesOf(question).length > 0,
    // Script of the page asks for runs after this time.
    shown: async (documents) => {
      const { html } = await documents.page('')
      return one(Number(/data-newer="[^"]*after=(-?\d+)/.exec(html)?.[1]) <= Date.now())
    },
    truth: () => one(true),
  },
  {
    kind: 'clock off',
    on: '/insight/v1/nodes',
    shown: async (documents) =>
      Object.fromEntries(
        (await nodesListed(documents)).map(({ certname, clock_off }) => [certname, clock_off]),
      ),
    truth: (question) =>
      Object.fromEntries(
        nodesOf(question).map((node) => {
          const off = clockOffOf(node)
          return [node.certname, off === null ? null : off / 1000]
        }),
      ),
  },
  ...['', '/causes', WALL].flatMap((path): readonly Surface[] => [
    {
      kind: 'mark',
      on: `/console${path}`,
      shown: (documents) => marks(documents, path),
      truth: marked,
    },
    ...(path === WALL
      ? []
      : [
          {
            kind: 'badge',
            on: `/console${path}`,
            shown: (documents: Documents) => badge(documents, path),
            truth: openCount,
          },
        ]),
  ]),
]
