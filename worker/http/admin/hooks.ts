/** `/admin/v1/hooks` and `/admin/v1/deliveries`: notifications, and the outcome of each delivery. */

import { readOne } from '../../store/batch-read.ts'
import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp } from '../../lib/time.ts'
import {
  hookNamed,
  createHook,
  editHook,
  placeOf,
  previewHook,
  replay,
  shownTarget,
  testHook,
  type HookInput,
} from '../../notify/hooks.ts'
import { deliveriesRead, type Delivery } from '../../store/deliveries.ts'
import { deleteHook, hooksRead, type Hook } from '../../store/hooks.ts'
import type { Call, Handler } from '../context.ts'
import { readJsonObject } from '../json-body.ts'
import { publicAddressOf } from '../public-address.ts'
import { emptyResponse, objectResponse } from '../respond.ts'

const MOST_BYTES = 65_536
/** Most occurrences that a preview lists. */
const MOST_PREVIEWED = 100

const timeOrNull = (time: number | null): string | null =>
  time === null ? null : formatTimestamp(time)

const hookJson = (hook: Hook) => ({
  name: hook.name,
  transition: hook.transition,
  hours: hook.transition === 'silent' ? hook.hours : null,
  filter: hook.filter,
  cause: hook.cause,
  format: hook.format,
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

const BODY = {
  what: 'a hook',
  most: MOST_BYTES,
  example: { transition: 'failed', url: 'https://example.com/hook' },
}

const bodyOf = (request: Request): Promise<HookInput> => readJsonObject(request, BODY)

const nameIn = (call: Call): string => call.req.param('name') ?? ''

const serviceOf = (call: Call) =>
  placeOf(publicAddressOf(call), call.var.settings, call.var.hookNetworks)

export const listHooks: Handler = async ({ var: { databases } }) =>
  objectResponse((await readOne(databases.primary(), hooksRead())).map(hookJson))

export const putHook: Handler = async (call) => {
  const input = { ...(await bodyOf(call.req.raw)), name: nameIn(call) }
  const hook = await createHook(call.var.databases.primary(), input, serviceOf(call), Date.now())
  return objectResponse(hook, 'created')
}

export const patchHook: Handler = async (call) => {
  const input = await bodyOf(call.req.raw)
  const database = call.var.databases.primary()
  return objectResponse(await editHook(database, nameIn(call), input, serviceOf(call), Date.now()))
}

export const removeHook: Handler = async (call) => {
  const name = nameIn(call)
  if (!(await deleteHook(call.var.databases.primary(), name))) throw new NotFound('hook', name)
  return emptyResponse('no content')
}

export const sendTest: Handler = async (call) => {
  const database = call.var.databases.primary()
  return objectResponse({
    outcome: await testHook(database, nameIn(call), serviceOf(call), Date.now()),
  })
}

export const showPreview: Handler = async (call) => {
  const database = call.var.databases.primary()
  const hook = await hookNamed(database, nameIn(call))
  const { since, total, items, message } = await previewHook(
    database,
    hook,
    call.var.settings,
    Date.now(),
    MOST_PREVIEWED,
  )
  return objectResponse({ since: formatTimestamp(since), total, items, message })
}

export const listDeliveries: Handler = async ({ var: { databases } }) =>
  objectResponse((await readOne(databases.primary(), deliveriesRead())).map(deliveryJson))

export const replayDelivery: Handler = async (call) => {
  const database = call.var.databases.primary()
  const id = call.req.param('id')
  return objectResponse({ outcome: await replay(database, id, serviceOf(call), Date.now()) })
}
