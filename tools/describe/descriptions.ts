/** What the service says of itself, of the tables as they are. The build of the assets runs this. */

import { openApiDocument } from '../openapi/document.ts'
import insights from '../openapi/insight-answers.json'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'

/** Asset → its JSON: `/openapi.json`. */
export const DESCRIPTIONS = {
  openapi: openApiDocument(EVERY_ROUTE, insights),
}
