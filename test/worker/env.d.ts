/// <reference types="@cloudflare/vitest-pool-workers/types" />

/** What the tests are bound to: what the Worker is, and the migrations that vitest.config.ts hands in. */

import type { D1Migration } from 'cloudflare:test'
import type worker from '../../worker/index.ts'
import type { PlatformDatabase } from '../platform/database-object.ts'

declare global {
  namespace Cloudflare {
    interface Env {
      readonly DB: D1Database
      readonly ASSETS: Fetcher
      /** Of two commands in ten seconds (vitest.config.ts). */
      readonly FEW_SUBMISSIONS: RateLimit
      /** Object storage for the history. */
      readonly TEST_BUCKET: R2Bucket
      readonly TEST_MIGRATIONS: D1Migration[]
      /** Databases with D1's walls (test/platform). */
      readonly PLATFORM: DurableObjectNamespace<PlatformDatabase>
    }
    interface GlobalProps {
      readonly mainModule: { readonly default: typeof worker }
    }
  }
}
