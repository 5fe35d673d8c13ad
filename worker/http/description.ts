/** What the service says of itself. It depends on the code alone, and the build has made it: that takes more CPU time than a request may have. */

import { ASSETS } from './assets.ts'
import type { Call } from './context.ts'
import { JSON_TYPE, respond } from './respond.ts'

/** `GET /openapi.json`: the description of the API. */
export async function answerDescription(call: Call): Promise<Response> {
  const asset = await call.var.assets.fetch(new URL(ASSETS.openapi, call.req.url).href)
  if (!asset.ok) throw new Error(`The build has no ${ASSETS.openapi}.`)
  return respond(asset.body, { 'content-type': JSON_TYPE })
}

/** What can be asked and set, as a list for readers of docs/reference.md. */
export interface ReferenceList {
  readonly title: string
  readonly about: string
  readonly columns: readonly string[]
  /** Texts of cells. The first cell is a name, and is shown as code. */
  readonly rows: readonly (readonly string[])[]
}
