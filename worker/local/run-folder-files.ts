/** The files of a service's run folder: the Worker's bundle, migrations, and workerd's configuration for each process. */

import { join } from 'node:path'
import { readHookHosts } from '../schema/hook-hosts.ts'
import { readConfiguration } from './configuration.ts'
import { extraAuthorities } from './host/certificate-files.ts'
import {
  configurationFile,
  configurationText,
  FILES,
  type SocketName,
} from './host/configuration.ts'
import { hostModules } from './host-modules.ts'
import { readMigrations } from './migrations.ts'

/** A reader has no probe, whose statements may write. */
export const READER_SOCKETS: readonly SocketName[] = ['plain', 'tls', 'admin']

interface RunFolderOptions {
  /** Folder of the project. */
  readonly root: string
  readonly trusting?: boolean
  /** Most readers at the same time. */
  readonly readers: number
}

/** The files that workerd reads at each start, by name. */
export async function runFolderFiles(
  runFolder: string,
  dataFolder: string,
  sockets: readonly SocketName[],
  settings: Readonly<Record<string, string>>,
  { root, trusting = false, readers }: RunFolderOptions,
): Promise<Readonly<Record<string, string>>> {
  const [project, migrations, { worker, others, binding, history }] = await Promise.all([
    readConfiguration(join(root, 'wrangler.toml')),
    readMigrations(join(root, 'migrations')),
    hostModules(root),
  ])
  const shared = {
    ...project,
    modules: Object.keys(others),
    runFolder,
    dataFolder,
    assetsFolder: join(root, 'dist/assets'),
    settings: Object.keys(settings),
    trusting,
    reachesThisMachine: settings['LOCAL_HOOKS'] === 'on',
    hookHosts: readHookHosts(settings['HOOK_HOSTS'] ?? ''),
    authorities: extraAuthorities(process.env['NODE_EXTRA_CA_CERTS']),
  }
  const ofReaders = Array.from({ length: readers }, (_, reader) => [
    configurationFile(reader),
    configurationText({ ...shared, sockets: READER_SOCKETS, reader }),
  ])
  return {
    ...others,
    ...(Object.fromEntries(ofReaders) as Record<string, string>),
    [configurationFile(null)]: configurationText({ ...shared, sockets }),
    [FILES.worker]: worker,
    [FILES.binding]: binding,
    [FILES.history]: history,
    [FILES.migrations]: JSON.stringify(migrations),
  }
}
