/** The text of `/openapi.json`, of the tables as they are. The build of the assets runs this. */

import { openApiDocument } from '../../http/openapi/document.ts'
import insights from '../../http/openapi/insight-answers.json'
import { ROUTES } from '../../http/routes.ts'

export const description = JSON.stringify(openApiDocument(ROUTES, insights))
