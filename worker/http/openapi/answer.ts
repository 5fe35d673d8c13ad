/** `GET /openapi.json`: the description of the API, which the build has made. */

import { ASSETS } from '../assets.ts'
import type { Call } from '../context.ts'
import { JSON_TYPE, respond } from '../respond.ts'

export async function answerDescription(call: Call): Promise<Response> {
  const asset = await call.var.assets.fetch(new URL(ASSETS.openapi, call.req.url).href)
  if (!asset.ok) throw new Error(`The build has no ${ASSETS.openapi}.`)
  return respond(asset.body, { 'content-type': JSON_TYPE })
}
