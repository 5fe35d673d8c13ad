import type { Socket } from 'node:net'
import { ListenError } from './errors.js'

const HINTS: Record<string, (host: string, port: number) => [string, ...string[]]> = {
  EADDRINUSE: (host, port) => [
    `port ${port} on ${host} is already in use`,
    `find the holder:   ss -ltnp 'sport = :${port}'`,
    'take a free port:  local-catcher --port 0',
  ],
  EACCES: (host, port) => [
    `no permission to listen on port ${port} of ${host}`,
    'ports below 1024 belong to root: take another with --port',
  ],
  EADDRNOTAVAIL: (host) => [`${host} is not an address of this machine`],
  ENOTFOUND: (host) => [`${host} is not an address of this machine`],
}

/** What kept the server from listening, with the commands that help. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const [message, ...hints] = HINTS[error.code ?? '']?.(host, port) ?? [
    `cannot listen on port ${port} of ${host}: ${error.message}`,
  ]
  return new ListenError(message, hints)
}

/** Whether a URL leads back to the address that is listened on. */
export function isOwn(target: URL, host: string, port: number): boolean {
  const usual = target.protocol === 'https:' ? '443' : '80'
  const names = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', host, `[${host}]`]
  return Number(target.port || usual) === port && names.includes(target.hostname)
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

const TLS_CAUSES: Record<string, string> = {
  ERR_SSL_HTTP_REQUEST:
    'the sender spoke plain HTTP to a TLS port: use https://, or start without --cert/--key',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the sender does not trust the certificate',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: 'the sender does not trust the certificate',
}

/** What went wrong in a TLS handshake, or null for a connection that only came and went. */
export const tlsCause = (error: NodeJS.ErrnoException): string | null =>
  error.code === 'ECONNRESET'
    ? null
    : (TLS_CAUSES[error.code ?? ''] ?? `the TLS handshake failed: ${error.message}`)

/** Waits, but no longer than the sender does or than the catcher may. */
export function pause(milliseconds: number, socket: Socket, signal: AbortSignal) {
  return new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      socket.off('close', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    socket.once('close', done)
    signal.addEventListener('abort', done)
  })
}
