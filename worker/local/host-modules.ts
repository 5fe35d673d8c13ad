/** The modules of a self-hosted service. Builds them if they are missing. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleHost } from '../../tools/build/bundle.ts'
import { keptBuild } from './kept-build.mjs'

/** Texts of modules. */
export interface HostModules {
  /** The Worker's main module. */
  readonly worker: string
  /** The modules that it imports, at its start or later, by name. */
  readonly others: Readonly<Record<string, string>>
  readonly binding: string
  readonly history: string
}

/** All modules in one file: modules of two builds never mix. */
const FILE = 'modules.json'

/** What a service runs, and the paths of the sources. @param installedAs the program of the package; left out in a checkout */
export async function buildHostModules(root: string, installedAs?: string) {
  const { worker, others, binding, history, assets } = await bundleHost(root, installedAs)
  const modules: HostModules = {
    worker: worker.text,
    others: Object.fromEntries(others),
    binding: binding.text,
    history: history.text,
  }
  return {
    files: { [FILE]: JSON.stringify(modules) },
    inputs: [...new Set([worker, binding, history].flatMap(({ inputs }) => inputs).concat(assets))],
  }
}

/** @param root folder of the project */
export async function hostModules(root: string): Promise<HostModules> {
  const folder = await keptBuild(root, 'host', () => buildHostModules(root))
  return JSON.parse(await readFile(join(folder, FILE), 'utf8')) as HostModules
}
