/** Every endpoint of the API, for what is asked about all of them. No isolate needs this table. */

import { INSIGHT_ROUTES } from './insights/routes.ts'
import type { Route } from './router.ts'
import { ROUTES } from './routes.ts'

/** The insights follow the queries. */
const PLACE = ROUTES.findIndex(({ path }) => path === '/mcp')

export const EVERY_ROUTE: readonly Route[] = ROUTES.toSpliced(PLACE, 0, ...INSIGHT_ROUTES)
