/** The beans of PuppetDB that dashboards read, by Jolokia's protocol (`/metrics/v2`) and the older one (`/metrics/v1/mbeans`). Source: Jolokia's reference. */

import { NotFound, Refused } from '../../lib/errors.ts'
import { jsonOrNull, type Json } from '../../lib/json.ts'
import { isList, isRecord } from '../../lib/lossless.ts'
import { percentDecoded } from '../../lib/percent.ts'
import { readFigures, type Figures } from '../../store/figures.ts'
import { readAtMost } from '../body.ts'
import type { Call } from '../context.ts'
import { jsonResponse, STATUS, type Status } from '../respond.ts'

const POPULATION = 'puppetlabs.puppetdb.population'
const QUEUE = 'puppetlabs.puppetdb.mq'
const inactive = ({ deactivatedNodes, expiredNodes }: Figures): number =>
  deactivatedNodes + expiredNodes

/** Bean → its attributes. Resources are not stored, and there is no queue: commands are carried out before their response. */
const BEANS = new Map<string, (figures: Figures) => Record<string, number>>([
  [`${POPULATION}:name=num-nodes`, ({ activeNodes }) => ({ Value: activeNodes })],
  [`${POPULATION}:name=num-active-nodes`, ({ activeNodes }) => ({ Value: activeNodes })],
  [`${POPULATION}:name=num-inactive-nodes`, (figures) => ({ Value: inactive(figures) })],
  [`${POPULATION}:name=num-resources`, () => ({ Value: 0 })],
  [`${POPULATION}:name=avg-resources-per-node`, () => ({ Value: 0 })],
  [`${POPULATION}:name=pct-resource-dupes`, () => ({ Value: 0 })],
  [`${QUEUE}:name=global.depth`, () => ({ Count: 0 })],
  [`${QUEUE}:name=global.processed`, ({ reports }) => ({ Count: reports })],
  [`${QUEUE}:name=global.retried`, () => ({ Count: 0 })],
  [`${QUEUE}:name=global.discarded`, () => ({ Count: 0 })],
  [`${QUEUE}:name=global.fatal`, () => ({ Count: 0 })],
])

const figuresFor = ({ var: { databases } }: Call): Promise<Figures> =>
  readFigures(databases.nearest(), Date.now())

/** Names and paths of all beans. */
export function listBeans(): Response {
  const paths = [...BEANS.keys()].map((name) => [
    name,
    `/metrics/v1/mbeans/${encodeURIComponent(name)}`,
  ])
  return jsonResponse(JSON.stringify(Object.fromEntries(paths)))
}

/** The attributes of one bean. @throws NotFound for an unknown one */
export async function readBean(call: Call): Promise<Response> {
  const name = call.req.param('name') ?? ''
  const read = BEANS.get(name)
  if (!read) throw new NotFound('metric', name)
  return jsonResponse(JSON.stringify(read(await figuresFor(call))))
}

/** One request of Jolokia; a POST may hold a list of them. */
type JolokiaRequest = Readonly<Record<string, Json>>

/** Jolokia's responses are always 200: each answer in them has its own status. */
export async function jolokia(call: Call): Promise<Response> {
  const request = call.req.raw
  const requests = request.method === 'POST' ? await posted(request) : inPath(new URL(request.url))
  let figures: Promise<Figures> | undefined
  const answer = async (one: Json): Promise<object> => {
    const request = isRecord(one) ? one : {}
    const exists = request['type'] === 'read' && BEANS.has(String(request['mbean']))
    return answerTo(request, exists ? await (figures ??= figuresFor(call)) : null)
  }
  const answers = isList(requests)
    ? await Promise.all(requests.map(answer))
    : await answer(requests)
  return jsonResponse(JSON.stringify(answers))
}

const MOST_AT_ONCE = 100

const LARGEST_REQUEST = 65_536

async function posted(request: Request): Promise<Json> {
  const bytes = await readAtMost(
    request,
    LARGEST_REQUEST,
    () =>
      new Refused('too large', `A request for beans may have at most ${LARGEST_REQUEST} bytes.`),
  )
  const body = jsonOrNull(new TextDecoder().decode(bytes)) as Json
  return isList(body) ? body.slice(0, MOST_AT_ONCE) : body
}

/** `/metrics/v2/read/<bean>/<attribute>`: parts in percent-encoding, and within them `!` before a slash that divides nothing. */
function inPath(url: URL): JolokiaRequest {
  const path = percentDecoded(url.pathname.replace(/^\/metrics\/v2\/?/, ''))
  const [type = '', mbean, attribute] = [...path.matchAll(/(?:^|\/)((?:!.|[^/!])*)/gsu)].map(
    ([, part]) => part!.replace(/!(.)/gsu, '$1'),
  )
  return {
    type: type === '' ? 'version' : type,
    ...(mbean === undefined ? {} : { mbean }),
    ...(attribute === undefined ? {} : { attribute }),
  }
}

function answerTo(request: JolokiaRequest, figures: Figures | null): object {
  const rest = { request, timestamp: Math.floor(Date.now() / 1000) }
  const { type, mbean: name, attribute } = request
  const failure = (status: Status, error_type: string, error: string) => ({
    ...rest,
    status: STATUS[status],
    error_type,
    error: `${error_type} : ${error}`,
  })
  switch (type) {
    case 'version':
      return { ...rest, status: STATUS.ok, value: { protocol: '7.2', agent: '1.7.0', info: {} } }
    case 'list':
      return { ...rest, status: STATUS.ok, value: listing() }
    case 'read': {
      if (figures === null) {
        return failure('not found', 'javax.management.InstanceNotFoundException', String(name))
      }
      const attributes = BEANS.get(String(name))!(figures)
      if (attribute === undefined || attribute === null) {
        return { ...rest, status: STATUS.ok, value: attributes }
      }
      return Object.hasOwn(attributes, String(attribute))
        ? { ...rest, status: STATUS.ok, value: attributes[String(attribute)] }
        : failure('not found', 'javax.management.AttributeNotFoundException', String(attribute))
    }
    default:
      return failure(
        'bad request',
        'java.lang.IllegalArgumentException',
        `the types are read, list and version, not ${JSON.stringify(type ?? null)}`,
      )
  }
}

/** Domain → properties → the bean's attributes. */
function listing(): Record<string, Record<string, object>> {
  const domains: Record<string, Record<string, object>> = {}
  for (const name of BEANS.keys()) {
    const [domain = '', properties = ''] = name.split(':')
    const attribute = domain === POPULATION ? 'Value' : 'Count'
    const attr = { [attribute]: { rw: false, type: 'java.lang.Object', desc: attribute } }
    ;(domains[domain] ??= {})[properties] = { attr, desc: properties }
  }
  return domains
}
