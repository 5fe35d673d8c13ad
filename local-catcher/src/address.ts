// Addresses: listening on one, and telling what can be reached under it.
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { ListenError } from './errors.js'

/** Binds to the port of a flag; gives the address that was had, or rejects with ListenError. */
export async function bind(server: Server, port: number, host: string, flag = '--port') {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (thrown) {
    throw new ListenError(explain(thrown as NodeJS.ErrnoException, port, host, flag))
  }
  return server.address() as AddressInfo
}

/** By platform, the command that says which process listens, before the port. */
const HOLDER: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'lsof -nP -sTCP:LISTEN -iTCP:',
  win32: 'netstat -ano | findstr :',
}

/** What kept the server from listening, and on lines of their own the commands that help. */
export function explain(
  { code = '', message }: NodeJS.ErrnoException,
  port: number,
  host: string,
  flag: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const strange = `${host} is not an address of this machine`
  const causes: Record<string, string | undefined> = {
    EADDRINUSE: `port ${port} on ${host} is already in use
  find the holder:   ${HOLDER[platform] ?? 'ss -ltnp sport = :'}${port}
  take a free port:  local-catcher ${flag} 0`,
    EACCES: `no permission to listen on port ${port} of ${host}
  ports below 1024 belong to root: take another with ${flag}`,
    EADDRNOTAVAIL: strange,
    ENOTFOUND: strange,
  }
  return causes[code] ?? `cannot listen on port ${port} of ${host}: ${message}`
}

/** The URL of a server, under a name that can be reached: 0.0.0.0 and :: cannot. */
export function urlOf(scheme: 'http' | 'https', { address, family, port }: AddressInfo): string {
  const reached = address.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^::$/, '::1')
  return `${scheme}://${family === 'IPv6' ? `[${reached}]` : reached}:${port}`
}

/**
 * Whether a Host header has this very port under a name of the internet. A browser writes it for a page
 * whose name was made to lead to this machine (DNS rebinding); tunnels have names without our port.
 */
export function isRebound(host: string | undefined, port: number | undefined): boolean {
  const [, end, named] = /^[^:]*\.([a-z][a-z\d-]*)\.?(?::(\d+))?$/i.exec(host ?? '') ?? []
  // Browsers leave the port of a scheme out.
  const isOwn = named === undefined ? port === 80 || port === 443 : Number(named) === port
  return isOwn && end !== undefined && !/^(localhost|local|internal|test)$/i.test(end)
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
