// Serves the page and its API.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { bind, urlOf } from '../address.js'
import type { Catcher } from '../catcher.js'
import { reasonOf, suggestion, UsageError } from '../errors.js'
import { below, parseTarget, passOn, replayTarget } from '../forward.js'
import { whyNotReplayable } from '../replay/send.js'
import { redactor } from '../redact.js'
import { CapturedRequest } from '../request.js'
import { controlRoutes, Refusal, type Routes } from './control.js'
import { toCurl } from './curl.js'
import { detail, messageView, search, summary } from './detail.js'

const HOST = '127.0.0.1'
const MOST_WAITING = 1024 * 1024

interface LivePage {
  readonly url: string
  close(): void
}

interface PageOptions {
  /** The port to listen on, 0 for any free one. */
  readonly port: number
  /** Where replays go; without it the person types a URL. */
  readonly forward?: URL | undefined
  /** Bytes that a compressed body may unpack to. */
  readonly maxBody: number
  /** Names whose values are shown as ***, also in replies. */
  readonly redact: readonly string[]
}

/**
 * Opens what is asked for beside a catcher: the live page, on port `ui`, and its API for programs
 * that know the token, on port `control`. Rejects with ListenError.
 */
export async function openDoors(catcher: Catcher, options: Doors, env: NodeJS.ProcessEnv) {
  const { ui, control } = options
  const page = ui === undefined ? null : await startPage(catcher, { ...options, port: ui })
  const token = env.LOCAL_CATCHER_CONTROL_TOKEN || randomBytes(16).toString('hex')
  const api =
    control === undefined ? null : await startPage(catcher, { ...options, port: control }, token)
  return {
    /** What the run says of them when it starts. */
    lines: [
      ...(page ? [`local-catcher page on ${page.url}`] : []),
      ...(api ? [`local-catcher control on ${api.url}/api, with the token ${token}`] : []),
    ],
    /** What the command after `--` finds in its environment. */
    variables: api && {
      LOCAL_CATCHER_CONTROL_URL: `${api.url}/api`,
      LOCAL_CATCHER_CONTROL_TOKEN: token,
    },
    close() {
      page?.close()
      api?.close()
    },
  }
}

type Doors = Omit<PageOptions, 'port'> & {
  readonly ui?: number
  readonly control?: number
}

/** Serves a page, or with a token its API alone, on a port of the loopback address. */
async function startPage(
  catcher: Catcher,
  { port, forward, maxBody, redact }: PageOptions,
  token?: string,
): Promise<LivePage> {
  const html = readFileSync(new URL('../../ui.html', import.meta.url), 'utf8')
  const started = new Date().toISOString()
  const followers = new Set<ServerResponse>()
  const tell = (event: string, data: unknown) => {
    for (const follower of followers) {
      // A page that does not read comes back by itself and reads the list anew.
      if (follower.writableLength > MOST_WAITING) follower.destroy()
      else follower.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    }
  }
  catcher.subscribe((request) => tell('request', summary(request)))
  const find = (n: string) => {
    const request = catcher.requests.find((each) => each.n === Number(n))
    if (!request) throw new Refusal(404, `request ${n} is not held any more`)
    return request
  }

  const routes: Routes = {
    ...(token === undefined && { 'GET /': (_, { response }) => void response.end(html) }),
    'GET /api/list': (_, { query }) => ({
      url: catcher.url,
      started,
      forward: forward ?? null,
      requests: search(catcher.requests, query.get('search') ?? '').map(summary),
    }),
    'GET /api/requests/N': (n) => detail(find(n), maxBody),
    'GET /api/requests/N/curl': (n) => ({ curl: toCurl(whole(find(n)), catcher.url) }),
    'GET /api/events': (_, { response }) => {
      response.setHeader('Content-Type', 'text/event-stream')
      response.write('retry: 1000\n\n')
      followers.add(response)
      response.on('close', () => followers.delete(response))
    },
    'POST /api/requests/N/replay': (n, { body }) =>
      replay(find(n), body, { forward, maxBody, redact }),
    ...controlRoutes(catcher, () => tell('clear', null)),
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const [, path = '/', query = ''] = /^([^?]*)\??(.*)$/s.exec(incoming.url ?? '/') ?? []
    const n = /^\/api\/requests\/(\d+)/.exec(path)?.[1] ?? ''
    secure(response, html, path === '/')
    try {
      checkHost(incoming, own.port)
      if (token === undefined) checkOrigin(incoming)
      else checkToken(incoming, token)
      const call = `${incoming.method} ${path.replace(/^\/api\/requests\/\d+/, '/api/requests/N')}`
      const route = routes[call]
      if (!route)
        throw new Refusal(404, `there is no ${call}${suggestion(call, Object.keys(routes))}`)
      const body = /^P/.test(incoming.method ?? '') ? await readJson(incoming) : null
      const result = await route(n, { query: new URLSearchParams(query), body, response })
      if (result !== undefined)
        response.end(result instanceof Buffer ? result : JSON.stringify(result))
    } catch (thrown) {
      response.statusCode = statusOf(thrown)
      response.end(JSON.stringify({ error: reasonOf(thrown) }))
    }
  }

  const server = createServer((incoming, response) => void handle(incoming, response))
  const flag = token === undefined ? '--ui' : '--control'
  const own = await bind(server, port, HOST, flag)
  return {
    url: urlOf('http', own),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The page runs its own script and nothing else, whatever a payload holds. */
function secure(response: ServerResponse, html: string, isPage: boolean) {
  const hash = (tag: string) => {
    const text = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(html)?.[1] ?? ''
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  }
  const policy = isPage
    ? `default-src 'none'; script-src ${hash('script')}; style-src ${hash('style')}; connect-src 'self'; `
    : "default-src 'none'; "
  response.setHeader(
    'Content-Security-Policy',
    `${policy}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  response.setHeader('Content-Type', isPage ? 'text/html; charset=utf-8' : 'application/json')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  response.setHeader('Cache-Control', 'no-store')
}

const statusOf = (thrown: unknown): number =>
  thrown instanceof Refusal ? thrown.status : thrown instanceof UsageError ? 400 : 500

/** Refuses what a foreign page could send: another name for this address. */
function checkHost({ headers }: IncomingMessage, port: number) {
  const hosts = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${port}`)
  if (!hosts.includes(headers.host ?? ''))
    throw new Refusal(403, `open it as http://${hosts[1]}: the Host is another`)
}

/** Refuses a program that does not know the token. */
function checkToken({ headers }: IncomingMessage, token: string) {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  const [, given = ''] = /^Bearer (.*)$/i.exec(headers.authorization ?? '') ?? []
  if (timingSafeEqual(hash(given), hash(token))) return
  throw new Refusal(401, 'write the token: Authorization: Bearer …')
}

/** Refuses a change that a page of another origin could send. */
function checkOrigin({ headers, method }: IncomingMessage) {
  if (method === 'GET') return
  if (headers.origin !== `http://${headers.host}`)
    throw new Refusal(403, 'only the page may change anything: the Origin is another')
  if (headers['content-type'] !== 'application/json')
    throw new Refusal(415, 'a changing call sends JSON')
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    if ((size += chunk.length) > MOST_WAITING) throw new Refusal(413, 'the call is too large')
  }
  if (size === 0) return null
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Refusal(400, 'the call is not JSON')
  }
}

/** Refuses what can't be sent again as it came: not all of it is here. */
function whole(request: CapturedRequest): CapturedRequest {
  if (request.truncated || !request.complete)
    throw new Refusal(409, 'this request was not received whole')
  return request
}

/** Sends a request again as it came: to --forward, else to the URL that was typed. */
async function replay(
  request: CapturedRequest,
  body: unknown,
  { forward, maxBody, redact }: Omit<PageOptions, 'port'>,
) {
  const problem = whyNotReplayable(request)
  if (problem !== null) throw new Refusal(409, problem)
  const typed = (body as { url?: unknown } | null)?.url
  const url = forward ?? parseTarget(typeof typed === 'string' ? typed : '')
  const find = forward === undefined ? replayTarget : below
  const reply = await passOn(request, find(url, request.url), maxBody)
  redactor(redact, maxBody)(Object.assign(new CapturedRequest(), { forward: reply }))
  return { url: reply.url, elapsed: reply.elapsed, ...messageView(reply, maxBody) }
}
