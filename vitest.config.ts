import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Half of the time goes by in starting workerd for each file; two cores are left one by the default.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'pure',
          testTimeout: 180_000,
          hookTimeout: 180_000,
          include: [
            'test/{lib,query,yaml,plan,sql,postgres,report,house,local,conformance}/**/*.test.ts',
          ],
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations('migrations'),
                ACCESS: 'open',
                LOG_REQUESTS: 'off',
              },
              // Tests send more about a node than agents do; what is too much is tested with a few.
              ratelimits: {
                SUBMISSIONS: { simple: { limit: 1_000_000, period: 10 } },
                FEW_SUBMISSIONS: { simple: { limit: 2, period: 10 } },
              },
            },
          })),
        ],
        test: {
          name: 'worker',
          include: ['test/worker/**/*.test.ts'],
          // The Worker under test links to the console's assets, as the deployed one does.
          globalSetup: ['test/worker/build-assets.ts'],
          setupFiles: ['test/worker/apply-migrations.ts'],
          // Shared machines are slow at times; no test is decided by time.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
