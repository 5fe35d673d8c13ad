/** workerd's configuration for a server of one's own: one Worker with an entrypoint a socket, its database and its network. */

import { Embedded, print, type Struct } from './capnp.ts'

/** Sockets below the run folder, by name → the entrypoint that each leads to. */
export const SOCKETS = {
  /** What came to the port as plain HTTP. */
  plain: null,
  /** What came by TLS; the launcher says in headers what it knows of the connection. */
  tls: null,
  admin: 'admin',
  probe: 'probe',
} as const satisfies Readonly<Record<string, string | null>>
export type SocketName = keyof typeof SOCKETS

/** Headers that the launcher sets on the socket `tls`, and takes away from what clients send. */
export const CF_HEADER = 'x-launcher-cf'
export const PROTOCOL_HEADER = 'x-launcher-protocol'

/** Names of the files that the configuration embeds. */
export const FILES = {
  worker: 'main.mjs',
  binding: 'database-binding.mjs',
  migrations: 'migrations.json',
} as const

export interface HostConfiguration {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly sockets: readonly SocketName[]
  /** Where the sockets are made. */
  readonly runFolder: string
  readonly dataFolder: string
  readonly assetsFolder: string
  /** Variables of the runtime's environment that are settings of the service. */
  readonly settings: readonly string[]
  readonly trusting: boolean
  /** Whether hooks may reach this machine and the networks that it is in. */
  readonly reachesPrivateNetworks: boolean
}

/**
 * The folder `miniflare-D1DatabaseObject` and the object's id in it come from this key and the object's
 * name: what the first releases of `npm start` wrote is opened as it is.
 */
const UNIQUE_KEY = 'miniflare-D1DatabaseObject'
const CLASS = 'DatabaseObject'
const BINDING_MODULE = 'report-query-service:database-binding'
const WORKER = 'main'
/**
 * V8 lets its heap grow by what the machine has, which is for browsers: after 20,000 reports it held 60 MB
 * of garbage. These bound it at no measurable cost. Source: `npm run bench:host`, V8's flag definitions.
 */
const V8_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=30']

export const socketPath = (runFolder: string, name: SocketName): string => `${runFolder}/${name}`

/** The text of the file that workerd reads. */
export function configurationText(options: HostConfiguration): string {
  const configuration = {
    v8Flags: V8_FLAGS,
    services: [
      { name: WORKER, worker: workerOf(options) },
      { name: 'data', disk: { path: options.dataFolder, writable: true } },
      { name: 'assets', disk: { path: options.assetsFolder } },
      { name: 'internet', network: networkOf(options) },
    ],
    sockets: options.sockets.map((name) => socketOf(name, options.runFolder)),
    extensions: [
      {
        modules: [{ name: BINDING_MODULE, internal: true, esModule: new Embedded(FILES.binding) }],
      },
    ],
  }
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${print(configuration)};\n`
}

const workerOf = (options: HostConfiguration): Struct => ({
  modules: [{ name: 'main.mjs', esModule: new Embedded(FILES.worker) }],
  compatibilityDate: options.compatibilityDate,
  compatibilityFlags: options.compatibilityFlags,
  durableObjectNamespaces: [
    { className: CLASS, uniqueKey: UNIQUE_KEY, enableSql: true, preventEviction: true },
  ],
  durableObjectStorage: { localDisk: 'data' },
  bindings: [
    { name: 'DB', wrapped: D1 },
    { name: 'ASSETS', service: { name: WORKER, entrypoint: 'assets' } },
    { name: 'DISK', service: 'assets' },
    { name: 'MIGRATIONS', json: new Embedded(FILES.migrations) },
    { name: 'TRUSTING', json: String(options.trusting) },
    // Values stay out of the file: some are secrets.
    ...options.settings.map((name) => ({ name, fromEnvironment: name })),
  ],
})

/** The runtime's own binding of D1 over the object: the same code as on the platform. */
const D1: Struct = {
  moduleName: 'cloudflare-internal:d1-api',
  innerBindings: [
    {
      name: 'fetcher',
      wrapped: {
        moduleName: BINDING_MODULE,
        innerBindings: [{ name: 'objects', durableObjectNamespace: CLASS }],
      },
    },
  ],
}

function socketOf(name: SocketName, runFolder: string): Struct {
  const entrypoint = SOCKETS[name]
  return {
    name,
    address: `unix:${socketPath(runFolder, name)}`,
    http: name === 'tls' ? { cfBlobHeader: CF_HEADER, forwardedProtoHeader: PROTOCOL_HEADER } : {},
    service: entrypoint === null ? WORKER : { name: WORKER, entrypoint },
  }
}

/** Names are resolved before they are judged: one that leads to this machine is refused as its address is. */
const networkOf = ({ reachesPrivateNetworks }: HostConfiguration): Struct => ({
  allow: reachesPrivateNetworks ? ['public', 'private'] : ['public'],
  tlsOptions: { trustBrowserCas: true },
})
