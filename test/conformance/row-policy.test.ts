/**
 * A restricted token is answered as by a database that holds nothing but what is within them: the
 * recorded questions as such a service answers them, random ones as the evaluator does, and what names
 * something outside as what names nothing.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../worker/http/queries/endpoints.ts'
import type { Json } from '../../worker/lib/json.ts'
import { estateOf } from './estate/estate.ts'
import type { Command } from './evaluator/report.ts'
import { tablesOf, type Arrivals, type Tables } from './evaluator/tables.ts'
import { judge, type Answered } from './judge.ts'
import { arrivalsAt, differenceOf, questionOf } from './property.ts'
import { ask, forEach, load, type Request } from './server.ts'
import { countFrom, emptyService, HOURS, numberFrom, type EmptyService } from './service.ts'
import { ROOT } from '../local/local-service.ts'
import { arranged, OWNER, ownOf, settingsFor, WORLDS, type Tenant } from './tenants.ts'

const SEED = numberFrom('PROPERTY_SEED', Date.now() % 1_000_000_000)
const COUNT = countFrom('PROPERTY_COUNT', 75)

const linesOf = <Line>(name: string): Line[] =>
  readFileSync(join(ROOT, 'test/fixtures/conformance', name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

interface Recorded extends Request {
  readonly id: string
  readonly note: string
  readonly order: readonly string[] | null
}

/** Plans are of the service's own rows, so a restricted token gets none. */
const QUERIES = linesOf<Recorded>('queries.ndjson').filter(({ params }) => !('explain' in params))

/** The answers to the recorded queries of a service that holds nothing but these. */
async function answersAlone(commands: readonly Command[]): Promise<readonly Answered[]> {
  const service = await emptyService()
  try {
    await load(service.base, commands)
    return await forEach(QUERIES, 4, (question) => ask(service.base, question))
  } finally {
    await service.stop()
  }
}

/** Errors are compared by their texts too: what one says of something outside would be said of it. */
function difference(want: Answered, got: Answered, order: readonly string[] | null) {
  const sameError = want.status < 400 || want.body === got.body
  return sameError
    ? judge(want, got, order)
    : `${JSON.stringify(want.body)} expected, ${JSON.stringify(got.body)} found`
}

describe.each(WORLDS)('among $name', (world) => {
  const recorded = arranged(world, linesOf<Command>('commands.ndjson'))
  const estate = arranged(world, estateOf(1, 150))
  let ofRecorded: EmptyService
  let ofEstate: EmptyService
  let arrivals: Arrivals
  /** What each tenant must be answered, whether hours are open or closed. */
  const alone = new Map<Tenant, readonly Answered[]>()
  const tablesFor = (commands: readonly Command[]): Tables => tablesOf(commands, arrivals)

  beforeAll(async () => {
    ofRecorded = await emptyService(settingsFor(world))
    ofEstate = await emptyService(settingsFor(world))
    await load(ofRecorded.base, recorded, OWNER)
    await load(ofEstate.base, estate, OWNER)
    arrivals = await arrivalsAt(ofEstate.base, OWNER)
    for (const tenant of world.tenants)
      alone.set(tenant, await answersAlone(ownOf(tenant, recorded)))
  })
  afterAll(async () => {
    await ofRecorded?.stop()
    await ofEstate?.stop()
  })

  const cases = HOURS.flatMap((hours) =>
    world.tenants.map((tenant) => ({ tenant, hours, ...tenant })),
  )

  describe.each(cases)(
    'a token restricted by $restrictions, every hour $hours',
    ({ hours, tenant }) => {
      const headers = { 'x-authentication': tenant.name }

      beforeAll(async () => {
        if (hours === 'open') return
        await ofRecorded.closeHours()
        await ofEstate.closeHours()
      })

      it('gets the same answers to the recorded queries as from a service with the visible rows only', async () => {
        const own = ownOf(tenant, recorded)
        expect(own.length).toBeGreaterThan(3)
        expect(own.length).toBeLessThan(recorded.length)
        const wanted = alone.get(tenant)!
        const found = await forEach(QUERIES, 4, async (question, index) => {
          const answer = await ask(ofRecorded.base, {
            ...question,
            headers: { ...question.headers, ...headers },
          })
          const differs = difference(wanted[index]!, answer, question.order)
          return differs === null ? [] : [`${question.id}, ${question.note}: ${differs}`]
        })
        expect(found.flat()).toEqual([])
      })

      it(`gets the evaluator's answers over the visible rows to all ${COUNT} random queries`, async () => {
        console.info(`PROPERTY_SEED=${SEED}`)
        const [everything, own] = [tablesFor(estate), tablesFor(ownOf(tenant, estate))]
        const seeds = Array.from(
          { length: COUNT },
          (_, index) => SEED + index + (hours === 'closed' ? COUNT : 0),
        )
        const differences = await forEach(seeds, 4, async (seed) => {
          const question = questionOf(seed, everything)
          const found = await (namesOutside(question.path, everything, own)
            ? statusOf(ofEstate.base, { ...question, headers })
            : differenceOf(ofEstate.base, own, { ...question, headers }))
          const named = `#${seed} ${question.method} ${question.path} ${JSON.stringify(question.params)}`
          return found === null || found === 'limit' ? [] : [`${named}: ${found}`]
        })
        expect(differences.flat()).toEqual([])
      }, 300_000)

      it('gets the same answer for a path outside the policy as for one that does not exist', async () => {
        const names = outsideNames(tablesFor(estate), tablesFor(ownOf(tenant, estate)))
        const differences = await forEach([...ENDPOINTS], 4, async ([path]) => {
          const answerTo = async (parameter: string, name: string): Promise<string> => {
            const filled = path
              .replace(`:${parameter}`, encodeURIComponent(name))
              .replace(/:(\w+)/g, (_, other: string) =>
                encodeURIComponent(names[other]?.[0] ?? 'x'),
              )
            const params = path.includes('counts') ? { summarize_by: 'certname' } : {}
            const request = { method: 'GET', path: `/query/v4${filled}`, params, headers }
            const answer = JSON.stringify(await ask(ofEstate.base, request))
            return answer.replaceAll(JSON.stringify(name).slice(1, -1), 'NAME')
          }
          const found: string[] = []
          for (const [parameter, outside] of Object.entries(names)) {
            if (!path.includes(`:${parameter}`)) continue
            const want = await answerTo(parameter, NOBODY[parameter]!)
            for (const name of outside) {
              const answer = await answerTo(parameter, name)
              if (want !== answer)
                found.push(`${path} with ${name}: ${answer}, and unknown: ${want}`)
            }
          }
          return found
        })
        expect(differences.flat()).toEqual([])
      })

      it('gets no explanation of a query, which would reveal other rows', async () => {
        for (const path of ['/query/v4/reports', '/query/v4/nodes', '/query/v4/environments']) {
          const params = { explain: 'analyze' }
          const explained = await ask(ofEstate.base, { method: 'GET', path, params, headers })
          expect(explained.status).toBe(403)
          const response = await fetch(ofEstate.base + path, { headers })
          expect(response.status).toBe(200)
          expect(response.headers.get('server-timing')).toBeNull()
          await response.arrayBuffer()
        }
      })
    },
  )
})

/** Names that nobody has ever reported on. */
const NOBODY: Readonly<Record<string, string>> = {
  node: 'nobody.knows',
  environment: 'nobody.knows',
  producer: 'nobody.knows',
  hash: 'f'.repeat(40),
}

/** Whether a path names something of everything that is none of the tenant's own, which makes it a 404. */
function namesOutside(path: string, everything: Tables, own: Tables): boolean {
  const names = new Set(Object.values(outsideNames(everything, own, Infinity)).flat())
  return decodeURIComponent(path)
    .split('/')
    .some((part) => names.has(part))
}

async function statusOf(base: string, request: Request): Promise<string | null> {
  const { status } = await ask(base, request)
  return status === 404 ? null : `404 expected, ${status} found`
}

/** Some names of everything that are none of the tenant's own. */
function outsideNames(
  everything: Tables,
  own: Tables,
  most = 4,
): Readonly<Record<string, readonly string[]>> {
  const column = (rows: Tables[keyof Tables], name: string): Set<Json> =>
    new Set(rows.map((row) => row[name] as Json))
  const beyond = (entity: keyof Tables, name: string): string[] => {
    const ofTenant = column(own[entity], name)
    return [...column(everything[entity], name)]
      .filter((one) => !ofTenant.has(one))
      .slice(0, most)
      .map(String)
  }
  return {
    node: beyond('nodes', 'certname'),
    environment: beyond('environments', 'name'),
    producer: beyond('producers', 'name'),
    hash: beyond('reports', 'hash'),
  }
}
