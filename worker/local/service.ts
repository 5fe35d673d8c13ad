/** The service on one machine: the Worker's bundle in workerd, with a local D1. */

import { Miniflare, type DispatchFetch } from 'miniflare'
import { join } from 'node:path'
import { SETTINGS } from '../schema/settings.ts'
import { bundleWorker } from './bundle.ts'
import { readConfiguration } from './configuration.ts'
import { DOOR, doorTo } from './door.ts'
import { KEEPER, keeperOf, readMigrations } from './keeper.ts'
import { SHELF, shelfOf } from './shelf.ts'

export interface ServiceOptions {
  /** Folder of the project. */
  readonly root: string
  readonly port: number
  readonly host: string
  /** Folder that the database is kept in; null keeps it in memory. */
  readonly data: string | null
  /** Settings by name; those that are not given are as the environment has them. */
  readonly settings: Readonly<Record<string, string>>
  /** Whether it lets in whoever is on this machine, and answers by the names of this machine alone for that (door.ts). */
  readonly trusting?: boolean
  /** The module of a Worker beside the service that has its database (`DB`), and that `dispatch` reaches at LOOKOUT. */
  readonly lookout?: string
}

export const LOOKOUT = 'http://lookout.internal/'

export interface Service {
  readonly url: string
  /**
   * Asks in the place of Cloudflare's front, whose word is taken for what `cf` says of the connection.
   * Only this process can: requests from outside come through the door, and have none.
   */
  readonly dispatch: DispatchFetch
  /** Does what the cron trigger does of a deployed Worker. */
  readonly tick: (cron?: string, at?: Date) => Promise<void>
  /** Stops at once. What was answered 200 is in the database; other senders will try again. */
  readonly stop: () => Promise<void>
  /** Settles once there is no runtime any more, whether it was stopped or has died. */
  readonly ended: Promise<void>
}

/**
 * Starts the service with all migrations applied. Requests reach workerd directly, not through the
 * proxy that `wrangler dev` puts before it, and there the Worker through its door (door.ts); what is
 * to be done beside requests a keeper does (keeper.ts).
 */
export async function startService({
  root,
  port,
  host,
  data,
  settings,
  trusting = false,
  lookout,
}: ServiceOptions): Promise<Service> {
  let runtimeEnded = (): void => undefined
  const ended = new Promise<void>((resolve) => (runtimeEnded = resolve))
  const configuration = await readConfiguration(join(root, 'wrangler.toml'))
  const { text: contents } = await bundleWorker(root)
  const worker = {
    modules: [{ type: 'ESModule' as const, path: 'worker.mjs', contents }] as const,
    compatibilityDate: configuration.compatibilityDate,
    compatibilityFlags: [...configuration.compatibilityFlags],
    bindings: { ...ON_A_TERMINAL, ...settingsOf(process.env), ...settings },
    d1Databases: { DB: 'reports' },
  }
  const service = {
    ...worker,
    name: SERVICE,
    modules: [...worker.modules],
    serviceBindings: { ASSETS: SHELF },
  }
  const miniflare = new Miniflare({
    workers: [
      service,
      {
        ...doorTo(SERVICE, configuration.compatibilityDate, trusting),
        unsafeDirectSockets: [{ host, port }],
      },
      shelfOf(join(root, 'dist/assets'), configuration.compatibilityDate),
      keeperOf(worker, await readMigrations(join(root, 'migrations'))),
      ...(lookout === undefined ? [] : [lookoutOf(worker, lookout)]),
    ],
    d1Persist: data ?? false,
    // The proxy's own socket is not used, so any free port will do.
    port: 0,
    host: '127.0.0.1',
    handleRuntimeStdio(stdout, stderr) {
      passErrorsOn(stdout, stderr)
      stderr.once('close', runtimeEnded)
    },
  })
  try {
    await miniflare.ready
    const ask = async (address: string): Promise<void> => {
      const response = await miniflare.dispatchFetch(address)
      const text = await response.text()
      if (!response.ok) throw new Error(`${address} answered ${response.status}: ${text}`)
    }
    await ask(KEEPER.prepare)
    const url = await miniflare.unsafeGetDirectURL(DOOR)
    return {
      url: url.origin,
      dispatch: miniflare.dispatchFetch,
      tick: (cron = '', at = new Date()) =>
        ask(`${KEEPER.tick}?${new URLSearchParams({ cron, at: String(at.getTime()) }).toString()}`),
      stop: () => miniflare.dispose(),
      ended,
    }
  } catch (error) {
    await miniflare.dispose()
    throw error
  }
}

const SERVICE = 'report-query-service'

/** @param service whose database it has */
const lookoutOf = <Service extends object>(service: Service, contents: string) => ({
  ...service,
  name: 'lookout',
  modules: [{ type: 'ESModule' as const, path: 'lookout.mjs', contents }],
  routes: [`${new URL(LOOKOUT).host}/*`],
})

/** Requests in between would hide what a terminal is there to show. */
const ON_A_TERMINAL = { LOG_REQUESTS: 'off' } as const

/** What of the environment is a setting of the service. */
const settingsOf = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.keys(SETTINGS).flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/**
 * workerd's own messages go on to stderr; what the Worker logs as well. Not by pipes: Miniflare's streams
 * have no end when it is disposed of, and a pipe would stay at stderr for each service that was stopped.
 */
function passErrorsOn(...streams: readonly NodeJS.ReadableStream[]): void {
  for (const stream of streams) stream.on('data', (piece: Buffer) => process.stderr.write(piece))
}
