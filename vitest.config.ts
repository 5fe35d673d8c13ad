import { availableParallelism, tmpdir } from 'node:os'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { memoryFolder } from './test/memory-folder.ts'

process.env['TMPDIR'] ||= memoryFolder() ?? tmpdir()
// The machine's own decide no test, and every start of a service reads them.
delete process.env['NODE_EXTRA_CA_CERTS']

/** How tests run that need no Worker's runtime around them. */
const IN_NODE: TestProjectInlineConfiguration['test'] = {
  // Loading the modules of a file again, in a separate process, takes longer than most files.
  isolate: false,
  // Thousands of answers are parsed and compared: a larger young generation is collected less often. Where every
  // core has a test of its own, marking at once, by one thread, costs less than in steps or by several.
  execArgv: ['--max-semi-space-size=32', '--no-incremental-marking', '--single-threaded-gc'],
  // Shared machines are slow at times; no test is decided by time.
  testTimeout: 180_000,
  hookTimeout: 180_000,
}

export default defineConfig({
  test: {
    // The default leaves one of two cores idle; one more than there are cores works while others wait for a time-out.
    maxWorkers: availableParallelism() + 1,
    // Dots show progress on a terminal; elsewhere failures and the totals suffice.
    reporters: [
      process.stdout.isTTY ? 'dot' : 'minimal',
      ...(process.env['CI_REPORTER'] ? [process.env['CI_REPORTER']] : []),
    ],
    projects: [
      {
        test: {
          ...IN_NODE,
          name: 'pure',
          include: [
            'test/{archive,lib,query,yaml,plan,sql,postgres,report,store,http,house,local,conformance,console,docs,insight,notify,housekeeping}/**/*.test.ts',
          ],
        },
      },
      // npm run test:proofs
      { test: { ...IN_NODE, name: 'proofs', include: ['test/proofs/*/*.test.ts'] } },
      {
        // Vite warns of a package whose source map names files that it lacks (oauth4webapi).
        logLevel: 'error',
        plugins: [
          cloudflareTest(async () => ({
            main: './test/platform/main.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations('migrations'),
                // All other settings have the defaults of a deployed Worker. Those of these three are tested by
                // access.test.ts, cost.test.ts and log.test.ts, and proofs/isolate/commands.test.ts.
                ACCESS: 'open',
                LOG_REQUESTS: 'off',
                // As on `npm start`.
                MAX_COMMAND_BYTES: String(32 * 1024 * 1024),
                // How many random stories test/truth tells, or which: `17-17`.
                STORIES: process.env['STORIES'] ?? '40',
              },
              // Tests send more about a node than agents do; what is too much is tested with a few.
              ratelimits: {
                SUBMISSIONS: { simple: { limit: 1_000_000, period: 10 } },
                FEW_SUBMISSIONS: { simple: { limit: 2, period: 10 } },
              },
              // Tests bind it as HISTORY where they want one.
              r2Buckets: ['TEST_BUCKET'],
              durableObjects: { PLATFORM: { className: 'PlatformDatabase', useSQLite: true } },
            },
          })),
        ],
        test: {
          name: 'worker',
          // One workerd for all files, as starting one takes longer than most files. The setup file empties the
          // database and what the isolate remembers of it.
          isolate: false,
          include: ['test/{worker,platform,edges,truth}/*.test.ts'],
          // The Worker under test links to the console's assets, as the deployed one does.
          globalSetup: ['test/worker/build-assets.ts'],
          setupFiles: ['test/worker/empty-database.ts'],
          // Shared machines are slow at times; no test is decided by time.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
