/** Builds the assets, the console's and what the service says of itself: each file gets a name with a hash of its content, and a list maps assets to these names. */

import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

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
  const list = join(root, 'dist/assets.json')
  // The descriptions are made of the routes, whose pages read the list.
  if ((await readFile(list).catch(() => null)) === null)
    await writeNew(root, list, JSON.stringify(Object.fromEntries(addresses)))
  const { texts, inputs } = await descriptions(root)
  const described = Object.entries(texts).map(([name, text]) => {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()
    return { name, address: `/console/assets/${name}-${digest}.json`, text }
  })
  const files = [
    ...outputFiles,
    ...described.map(({ address, text }) => ({ path: join(served, address), text })),
  ]
  await removeOthers(served, new Set(files.map(({ path }) => path)))
  for (const { path, text } of files) await writeNew(root, path, text)
  await writeNew(root, join(served, '_headers'), HEADERS)
  await writeNew(
    root,
    list,
    JSON.stringify(
      Object.fromEntries([...addresses, ...described.map(({ name, address }) => [name, address])]),
    ),
  )
  return [...new Set([...Object.keys(metafile.inputs), ...inputs])]
}

/** The texts of `describe/descriptions.ts`, and the sources that they are made of. */
async function descriptions(
  root: string,
): Promise<{ texts: Readonly<Record<string, string>>; inputs: string[] }> {
  const { build } = await import('esbuild')
  await mkdir(join(root, 'dist'), { recursive: true })
  const folder = await mkdtemp(join(root, 'dist/draft-'))
  try {
    const outfile = join(folder, 'descriptions.mjs')
    const { metafile } = await build({
      entryPoints: [join(root, 'tools/describe/descriptions.ts')],
      absWorkingDir: root,
      outfile,
      bundle: true,
      metafile: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
    })
    const { DESCRIPTIONS } = (await import(pathToFileURL(outfile).href)) as {
      DESCRIPTIONS: Readonly<Record<string, object>>
    }
    const texts: Record<string, string> = {}
    for (const [name, value] of Object.entries(DESCRIPTIONS)) texts[name] = JSON.stringify(value)
    return { texts, inputs: Object.keys(metafile.inputs) }
  } finally {
    await rm(folder, { recursive: true })
  }
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
