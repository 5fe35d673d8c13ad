/** The Worker. */

import { app } from './app.ts'
import type { Env } from './env.ts'

export default {
  fetch: (request: Request, env: object) => app.fetch(request, env),
  async scheduled(controller, env) {
    const { runTrigger } = await import('./triggers.ts')
    await runTrigger(controller, env)
  },
} satisfies ExportedHandler<Env>
