/** `/admin/v1/hooks` and `/admin/v1/deliveries`: who is told of what, and what came of it. */

import type { Context } from 'hono'
import { readOne } from '../store/batch-read.ts'
import { askDeliveries, askHooks } from '../insight/hooks.ts'
import { rehearse } from '../insight/transitions.ts'
import { NotFound, QueryError, Refused } from '../lib/errors.ts'
import { formatTimestamp } from '../lib/time.ts'
import {
  hookNamed,
  makeHook,
  placeOf,
  replay,
  shownTarget,
  testHook,
  type Given,
} from '../notify/hooks.ts'
import { readSettings } from '../schema/settings.ts'
import { Database } from '../store/database.ts'
import type { Delivery } from '../store/deliveries.ts'
import { deleteHook, type Hook } from '../store/hooks.ts'
import { readAtMost } from './body.ts'
import { objectResponse } from './respond.ts'
import { newRoutes } from './router.ts'

const MOST_BYTES = 65_536
/** Happenings that a rehearsal names one by one. */
const REHEARSED = 100

interface Bound {
  readonly Bindings: { readonly DB: D1Database }
}

const timeOrNull = (time: number | null): string | null =>
  time === null ? null : formatTimestamp(time)

const hookJson = (hook: Hook) => ({
  name: hook.name,
  transition: hook.transition,
  hours: hook.transition === 'silent' ? hook.hours : null,
  filter: hook.filter,
  cause: hook.cause,
  to: shownTarget(hook),
  created: formatTimestamp(hook.created),
  looked_until: formatTimestamp(hook.cursor),
})

const deliveryJson = ({ created, next, delivered, ...delivery }: Delivery) => ({
  ...delivery,
  created: formatTimestamp(created),
  delivered: timeOrNull(delivered),
  next_attempt: timeOrNull(next),
})

/** @throws QueryError for what is no JSON object */
async function bodyOf(request: Request): Promise<Given> {
  const refused = () => new Refused(413, `A hook may have ${MOST_BYTES} bytes.`)
  const text = new TextDecoder().decode(await readAtMost(request, MOST_BYTES, refused))
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null) return body as Given
  } catch {
    // Said below, as for any other text.
  }
  throw new QueryError(
    'The body must be JSON such as {"transition": "failed", "url": "https://example.com/hook"}.',
  )
}

const primary = ({ env }: { readonly env: Bound['Bindings'] }): Database => Database.primary(env.DB)

const here = (c: Context<Bound>) => placeOf(c.req.url, readSettings(c.env))

export const hooks = newRoutes<Bound>()

hooks.get('/hooks', async (c) =>
  objectResponse((await readOne(primary(c), askHooks())).map(hookJson)),
)
hooks.put('/hooks/:name', async (c) => {
  const given = { ...(await bodyOf(c.req.raw)), name: c.req.param('name') }
  return objectResponse(await makeHook(primary(c), given, here(c), Date.now()), 201)
})
hooks.delete('/hooks/:name', async (c) => {
  const name = c.req.param('name')
  if (!(await deleteHook(primary(c), name))) throw new NotFound('hook', name)
  return c.body(null, 204)
})
hooks.post('/hooks/:name/test', async (c) =>
  objectResponse({ outcome: await testHook(primary(c), c.req.param('name'), here(c), Date.now()) }),
)
hooks.get('/hooks/:name/rehearsal', async (c) => {
  const hook = await hookNamed(primary(c), c.req.param('name'))
  const { since, ...found } = await rehearse(primary(c), hook, Date.now(), REHEARSED)
  return objectResponse({ since: formatTimestamp(since), ...found })
})
hooks.get('/deliveries', async (c) =>
  objectResponse((await readOne(primary(c), askDeliveries())).map(deliveryJson)),
)
hooks.post('/deliveries/:id/replay', async (c) =>
  objectResponse({ outcome: await replay(primary(c), c.req.param('id'), here(c), Date.now()) }),
)
