/** `GET /openapi.json`: the description of the API. */

import type { Handler } from '../context.ts'
import { jsonResponse } from '../respond.ts'
import type { Route } from '../router.ts'
import { openApiDocument } from './document.ts'

/**
 * Made at each request, as few ask for it, and kept nowhere.
 *
 * @param routes all routes of the API, which hold this one too
 */
export const answerDescription =
  (routes: () => readonly Route[]): Handler =>
  async () => {
    // Read when it is needed: no other request pays for it.
    const { default: insights } = await import('./insight-answers.json')
    return jsonResponse(JSON.stringify(openApiDocument(routes(), insights)))
  }
