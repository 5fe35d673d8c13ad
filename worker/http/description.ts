/** What the service says of itself. It depends on the code alone, and the build has made it: that takes more CPU time than a request may have. */

import { ASSETS } from './assets.ts'
import type { Call } from './context.ts'
import { JSON_TYPE, respond } from './respond.ts'

/** The JSON of an asset. */
async function built(call: Call, name: 'openapi' | 'reference'): Promise<Response> {
  const asset = await call.var.assets.fetch(new URL(ASSETS[name], call.req.url).href)
  if (!asset.ok) throw new Error(`The build has no ${ASSETS[name]}.`)
  return asset
}

/** `GET /openapi.json`: the description of the API. */
export const answerDescription = async (call: Call): Promise<Response> =>
  respond((await built(call, 'openapi')).body, { 'content-type': JSON_TYPE })

/** What can be asked and set, as lists for readers. */
export const readReference = async (call: Call): Promise<readonly ReferenceList[]> =>
  (await built(call, 'reference')).json()

export interface ReferenceList {
  readonly title: string
  readonly about: string
  readonly columns: readonly string[]
  /** Texts of cells. The first cell is a name, and is shown as code. */
  readonly rows: readonly (readonly string[])[]
}
