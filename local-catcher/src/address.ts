import { ListenError } from './errors.js'

/** What kept the server from listening, with the commands that help. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const strange = [`${host} is not an address of this machine`]
  const causes: Record<string, string[] | undefined> = {
    EADDRINUSE: [
      `port ${port} on ${host} is already in use`,
      `find the holder:   ss -ltnp 'sport = :${port}'`,
      'take a free port:  local-catcher --port 0',
    ],
    EACCES: [
      `no permission to listen on port ${port} of ${host}`,
      'ports below 1024 belong to root: take another with --port',
    ],
    EADDRNOTAVAIL: strange,
    ENOTFOUND: strange,
  }
  const unknown = [`cannot listen on port ${port} of ${host}: ${error.message}`]
  const [message, ...hints] = causes[error.code ?? ''] ?? unknown
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
