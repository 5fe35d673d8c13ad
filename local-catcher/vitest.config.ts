import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Dots show progress on a terminal; elsewhere failures and the totals suffice.
    reporters: [
      process.stdout.isTTY ? 'dot' : 'minimal',
      ...(process.env['CI_REPORTER'] ? [process.env['CI_REPORTER']] : []),
    ],
    globalSetup: 'test/build.js',
    // Shared machines are slow at times; no test is decided by time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 180_000 } },
    // What is sent to this machine goes past the proxy that it may have.
    env: { no_proxy: '*', NO_PROXY: '*' },
    // Nothing is kept between files, and loading everything anew for each costs as much as the tests.
    isolate: false,
    setupFiles: 'test/cleanup.ts',
    maxWorkers: 3,
  },
})
