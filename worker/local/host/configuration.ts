/** workerd's configuration for a self-hosted service: one Worker with an entrypoint for each socket, its database and its network. */

import { HOOK_ROUTES, networksOf, type HookHost, type HookRoute } from '../../schema/hook-hosts.ts'
import { FAILURE_MARK } from './failure-mark.ts'

/** Names of fields → values; undefined fields are left out. */
interface Struct {
  readonly [name: string]: Value | undefined
}
type Value = string | number | boolean | Embedded | Named | readonly Value[] | Struct

/** Embeds the content of a file beside the configuration. */
class Embedded {
  constructor(readonly file: string) {}
}

/** A constant of the configuration. */
class Named {
  constructor(readonly name: string) {}
}

/** The text of a value. */
function print(value: Value): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Embedded) return `embed ${quoted(value.file)}`
  if (value instanceof Named) return `.${value.name}`
  if (isList(value)) return `[${value.map(print).join(', ')}]`
  const fields = Object.entries(value).flatMap(([name, field]) =>
    field === undefined ? [] : [`${name} = ${print(field)}`],
  )
  return `(${fields.join(', ')})`
}

const isList = (value: readonly Value[] | Struct): value is readonly Value[] => Array.isArray(value)

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

const quoted = (text: string): string =>
  `"${text.replace(/[\\"\n\r\t]/g, (character) => ESCAPES[character]!)}"`

/** Name of a socket in the run folder → its entrypoint. */
export const SOCKETS = {
  /** Requests over plain HTTP. */
  plain: null,
  /** Requests over TLS; the launcher describes the connection in headers. */
  tls: null,
  admin: 'admin',
  probe: 'probe',
} as const satisfies Readonly<Record<string, string | null>>
export type SocketName = keyof typeof SOCKETS

/** Headers that the launcher sets on the socket `tls`, and removes from the requests of clients. */
export const CF_HEADER = 'x-launcher-cf'
export const PROTOCOL_HEADER = 'x-launcher-protocol'

/** Names of the embedded files. */
export const FILES = {
  worker: 'main.mjs',
  binding: 'database-binding.mjs',
  history: 'history-binding.mjs',
  migrations: 'migrations.json',
} as const

export interface HostConfiguration {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly sockets: readonly SocketName[]
  /** Names of the modules beside the Worker's main one, and of their files. */
  readonly modules: readonly string[]
  /** The folder of the sockets. */
  readonly runFolder: string
  /** Number of the reader; by default it is the process that writes. */
  readonly reader?: number | null
  readonly dataFolder: string
  readonly assetsFolder: string
  /** Environment variables that are settings of the service. */
  readonly settings: readonly string[]
  readonly trusting: boolean
  /** Whether hooks may reach this machine. */
  readonly reachesThisMachine: boolean
  /** The hosts of private networks that hooks may reach. */
  readonly hookHosts: readonly HookHost[]
  /** Certificates of the authorities that receivers of hooks may have beside the system's, in PEM. */
  readonly authorities: readonly string[]
}

/**
 * The folder `miniflare-D1DatabaseObject` and the object's id in it derive from this key and the object's
 * name, so that databases of the first releases of `npm start` open unchanged.
 */
const UNIQUE_KEY = 'miniflare-D1DatabaseObject'
const CLASS = 'DatabaseObject'
const BINDING_MODULE = 'report-query-service:database-binding'
const HISTORY_MODULE = 'report-query-service:history-binding'
const WORKER = 'main'
/** Route of HOOK_HOSTS → its network, and the binding to it. */
const HOOK_NETWORKS: Readonly<Record<HookRoute, string>> = {
  name: 'HOOK_NAMES',
  address: 'HOOK_ADDRESSES',
  other: 'HOOK_OTHERS',
}
/** The launcher, which sends mail. */
const HOOK_MAIL = 'HOOK_MAIL'
/** The network of OIDC_ISSUER. The operator names it, so it may be anywhere but where clouds keep credentials. */
const ISSUER_NETWORK = 'ISSUER_NETWORK'
const ISSUER_ADDRESSES = {
  allow: ['public', 'private', 'local'],
  deny: ['169.254.0.0/16', 'fe80::/10', '168.63.129.16/32'],
} as const
/**
 * By default V8 lets its heap grow with the memory of the machine: after 20,000 reports it held 60 MB
 * of garbage. These flags bound it at no measurable cost; the database collects what long answers leave (workers/database.ts).
 * Source: `npm run bench:host`, V8's flag definitions.
 */
const V8_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=30', '--expose-gc']

/** @param reader number of the reader whose socket it is; null for the process that writes */
export const socketPath = (
  runFolder: string,
  name: SocketName,
  reader: number | null = null,
): string => `${runFolder}/${name}${reader ?? ''}`

/** The name of workerd's configuration file in the run folder. */
export const configurationFile = (reader: number | null): string => `config${reader ?? ''}.capnp`

/** The socket on which the launcher serves the folder of the history. */
export const historySocket = (runFolder: string): string => `${runFolder}/history`

/** The socket on which the launcher sends mail. */
export const mailSocket = (runFolder: string): string => `${runFolder}/mail`

/** The text of workerd's configuration file. */
export function configurationText(options: HostConfiguration): string {
  const isReader = typeof options.reader === 'number'
  const configuration = {
    v8Flags: V8_FLAGS,
    services: [
      { name: WORKER, worker: workerOf(options) },
      { name: 'data', disk: { path: options.dataFolder, writable: true } },
      { name: 'assets', disk: { path: options.assetsFolder } },
      {
        name: 'history',
        external: { address: `unix:${historySocket(options.runFolder)}`, http: {} },
      },
      {
        name: HOOK_MAIL,
        external: { address: `unix:${mailSocket(options.runFolder)}`, http: {} },
      },
      {
        name: 'internet',
        network: networkOf({
          allow: options.reachesThisMachine ? ['public', 'local'] : ['public'],
        }),
      },
      { name: ISSUER_NETWORK, network: networkOf(ISSUER_ADDRESSES) },
      ...(isReader ? [writerOf(options)] : []),
      ...Object.entries(networksOf(options.hookHosts)).map(([route, addresses]) => ({
        name: HOOK_NETWORKS[route as HookRoute],
        network: networkOf(addresses),
      })),
    ],
    sockets: options.sockets.map((name) => socketOf(name, options)),
    extensions: [
      {
        modules: [
          { name: BINDING_MODULE, internal: true, esModule: new Embedded(FILES.binding) },
          { name: HISTORY_MODULE, internal: true, esModule: new Embedded(FILES.history) },
        ],
      },
    ],
  }
  return `using Workerd = import "/workerd/workerd.capnp";
const ${AUTHORITIES.name} :List(Text) = ${print(options.authorities)};
const config :Workerd.Config = ${print(configuration)};
`
}

const workerOf = (options: HostConfiguration): Struct => ({
  modules: [FILES.worker, ...options.modules].map((name) => ({
    name,
    esModule: new Embedded(name),
  })),
  compatibilityDate: options.compatibilityDate,
  compatibilityFlags: options.compatibilityFlags,
  durableObjectNamespaces: [
    { className: CLASS, uniqueKey: UNIQUE_KEY, enableSql: true, preventEviction: true },
  ],
  durableObjectStorage: { localDisk: 'data' },
  bindings: [
    { name: 'DB', wrapped: D1 },
    { name: 'OBJECTS', durableObjectNamespace: CLASS },
    { name: 'HISTORY', wrapped: HISTORY },
    { name: 'ASSETS', service: { name: WORKER, entrypoint: 'assets' } },
    { name: 'DISK', service: 'assets' },
    ...HOOK_ROUTES.map((route) => ({ name: HOOK_NETWORKS[route], service: HOOK_NETWORKS[route] })),
    { name: HOOK_MAIL, service: HOOK_MAIL },
    { name: ISSUER_NETWORK, service: ISSUER_NETWORK },
    { name: 'MIGRATIONS', json: new Embedded(FILES.migrations) },
    ...(typeof options.reader === 'number' ? READER : []),
    { name: 'TRUSTING', json: String(options.trusting) },
    { name: 'FAILURE_MARK', text: FAILURE_MARK },
    // The file holds no values, since some are secrets.
    ...options.settings.map((name) => ({ name, fromEnvironment: name })),
  ],
})

/** What a reader has beside the bindings of the process that writes. */
const READER: readonly Struct[] = [
  { name: 'READER', json: 'true' },
  { name: 'WRITER', service: 'writer' },
]

/** The operations of the process that writes, for a reader. */
const writerOf = ({ runFolder }: HostConfiguration): Struct => ({
  name: 'writer',
  external: { address: `unix:${socketPath(runFolder, 'admin')}`, http: {} },
})

/** The runtime's own D1 binding on top of the object: the same code as on Cloudflare. */
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

/** The launcher's folder behind the methods of a bucket. */
const HISTORY: Struct = {
  moduleName: HISTORY_MODULE,
  innerBindings: [{ name: 'folder', service: 'history' }],
}

function socketOf(name: SocketName, { runFolder, reader }: HostConfiguration): Struct {
  const entrypoint = SOCKETS[name]
  return {
    name,
    address: `unix:${socketPath(runFolder, name, reader)}`,
    http: name === 'tls' ? { cfBlobHeader: CF_HEADER, forwardedProtoHeader: PROTOCOL_HEADER } : {},
    service: entrypoint === null ? WORKER : { name: WORKER, entrypoint },
  }
}

/** Beside the system's. A file of them may have two hundred, which each network would repeat. */
const AUTHORITIES = new Named('authorities')

/** The runtime resolves names before it checks them: a name of this machine is refused like its address. */
const networkOf = (addresses: {
  readonly allow: readonly string[]
  readonly deny?: readonly string[]
}): Struct => ({
  ...addresses,
  tlsOptions: { trustBrowserCas: true, trustedCertificates: AUTHORITIES },
})
