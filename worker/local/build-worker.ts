/** The build command of wrangler: writes the Worker's modules to `dist/worker/`, from where they are deployed as they are. */

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorker, MAIN_MODULE } from '../../tools/build/bundle.ts'

const folder = join(process.cwd(), 'dist/worker')
const { text, others } = await bundleWorker(process.cwd())
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const [name, module] of [[MAIN_MODULE, text] as const, ...others])
  await writeFile(join(folder, name), module)
