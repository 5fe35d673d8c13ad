/** What the service says of itself, of the tables as they are. The build of the assets runs this. */

import { openApiDocument } from '../../http/openapi/document.ts'
import insights from '../../http/openapi/insight-answers.json'
import { referenceLists } from '../../http/openapi/reference.ts'
import { EVERY_ROUTE } from '../../http/every-route.ts'

/** Asset → its JSON: `/openapi.json`, and the lists of `/console/reference`. */
export const DESCRIPTIONS = {
  openapi: openApiDocument(EVERY_ROUTE, insights),
  reference: referenceLists(EVERY_ROUTE),
}
