/** What the service says of itself, of the tables as they are. The build of the assets runs this. */

import { openApiDocument } from '../openapi/document.ts'
import insights from '../openapi/insight-answers.json'
import { referenceLists } from '../openapi/reference.ts'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'

/** Asset → its JSON: `/openapi.json`, and the lists of `/console/reference`. */
export const DESCRIPTIONS = {
  openapi: openApiDocument(EVERY_ROUTE, insights),
  reference: referenceLists(EVERY_ROUTE),
}
