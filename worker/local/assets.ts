/** Builds the console's assets: each file gets a name with a hash of its content, and a list maps assets to these names. */

import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** Name of an asset in pages → its source below `worker/console/browser`. */
const ENTRIES = { style: 'console.css', console: 'console.ts', editor: 'editor/editor.ts' }

/** Headers in the format of Workers' static assets. The Worker sets the same on assets that it serves itself. */
const HEADERS = `/console/assets/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
`

/**
 * Writes `dist/assets/`, which is served unchanged, and `dist/assets.json`: asset → its address.
 * Does not rewrite files whose content is the same, so that no watcher wakes up.
 *
 * @param root folder of the project
 * @returns paths of all sources, relative to the root
 */
export async function buildAssets(root: string): Promise<string[]> {
  const { build } = await import('esbuild')
  const served = join(root, 'dist/assets')
  const source = join(root, 'worker/console/browser')
  const { outputFiles, metafile } = await build({
    entryPoints: Object.fromEntries(
      Object.entries(ENTRIES).map(([name, file]) => [name, join(source, file)]),
    ),
    absWorkingDir: root,
    outdir: served,
    entryNames: 'console/assets/[name]-[hash]',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    logLevel: 'error',
  })
  const addresses = Object.entries(ENTRIES).map(([name, file]): [string, string] => {
    const entryPoint = relative(root, join(source, file))
    const [output] = Object.entries(metafile.outputs).find(
      ([, made]) => made.entryPoint === entryPoint,
    )!
    return [name, `/${relative(served, join(root, output))}`]
  })
  await removeOthers(served, new Set(outputFiles.map(({ path }) => path)))
  for (const { path, text } of outputFiles) await writeNew(root, path, text)
  await writeNew(root, join(served, '_headers'), HEADERS)
  await writeNew(
    root,
    join(root, 'dist/assets.json'),
    JSON.stringify(Object.fromEntries(addresses)),
  )
  return Object.keys(metafile.inputs)
}

async function writeNew(root: string, path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  // Other processes may build and read at the same time: renaming makes each file appear whole.
  const drafts = await mkdtemp(join(root, 'dist/draft-'))
  await writeFile(join(drafts, 'file'), text)
  await rename(join(drafts, 'file'), path)
  await rm(drafts, { recursive: true })
}

/** Removes the files of earlier builds, whose names differ. */
async function removeOthers(served: string, wanted: ReadonlySet<string>): Promise<void> {
  const folder = join(served, 'console/assets')
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    if (!wanted.has(path)) await rm(path, { force: true })
  }
}
