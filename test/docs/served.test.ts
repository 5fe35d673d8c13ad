/** What is described is what is served: OpenAPI, its typed client, MCP, queries and commands of the pages. One service with the sample fleet answers all of it. */

import { afterAll, beforeAll, describe } from 'vitest'
import { fleetService, type FleetService } from './fleet-service.ts'
import { mcpCases } from './mcp-cases.ts'
import { openApiCases } from './openapi-cases.ts'
import { pageCases } from './page-cases.ts'
import { transcriptCases } from './transcript-cases.ts'

let service: FleetService
beforeAll(async () => {
  service = await fleetService()
})
afterAll(() => service?.stop())

// First, as the other cases of MCP store reports.
describe('a call of MCP in the pages', () => transcriptCases(() => service))
describe('/openapi.json', () => openApiCases(() => service))
describe('/mcp', () => mcpCases(() => service))
// Last, as its commands store reports and clean up.
describe('the pages', () => pageCases(() => service))
