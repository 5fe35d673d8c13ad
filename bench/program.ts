/** A program of the benchmarks as one file, small as the Worker is deployed: what has to be read first is part of its time. */

import { build } from 'esbuild'

/** @param entry below the project's folder */
export const buildProgram = (entry: string, outfile: string) =>
  build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  })
