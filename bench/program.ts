/** Bundles a benchmark program into one minified file, like the deployed Worker, since loading is part of the measured time. */

import { build } from 'esbuild'

/** @param entry relative to the project's folder */
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
