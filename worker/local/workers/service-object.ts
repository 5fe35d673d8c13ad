/**
 * The service of a server of one's own, which runs in the object that holds the database: a query then costs no hop to
 * another Worker and no JSON in between.
 *
 * Any site can resolve its own name to this machine (DNS rebinding), and its pages can then read the
 * answers to a browser here. A service that trusts everyone on this machine therefore answers only
 * requests whose Host is a name of this machine.
 */

import { setFailureMark } from '../../http/stream.ts'
import service from '../../index.ts'
import { log } from '../../lib/log.ts'
import { DatabaseObject } from './database.ts'
import { NOT_FOR_READERS } from '../host/routing.ts'
import { withTokens } from './current-tokens.ts'
import type { HostEnv } from './env.ts'
import { DAMAGED, isHealthy } from './health.ts'
import { bindingTo } from './object-binding.ts'

const LOCAL_NAME = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
const FOREIGN_NAME =
  'This service answers requests to localhost and 127.0.0.1 only. ' +
  'With ACCESS=open it answers requests to any host name.'

const CROSS_SITE =
  'Cross-site requests are refused: this service is open to this machine, but not to the pages of other sites.'

/** Whether a page of another site has sent the request, rather than a person who follows a link on it. */
const isEmbedded = (headers: Headers): boolean =>
  headers.get('sec-fetch-site') === 'cross-site' &&
  !(headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document')

/** Paths of the status, which is 'error' for as long as something keeps the service from its work. */
const STATUS = '/status/'
/** What the status finds then: a database that answers nothing. */
const DOWN = bindingTo({
  runBatch: () => Promise.reject(new Error(DAMAGED)),
  bookmark: () => '',
})

export class ServiceObject extends DatabaseObject<HostEnv> {
  #env: HostEnv = { ...this.env, DB: bindingTo(this) }
  protected override readonly mayWrite = !this.env.READER

  constructor(state: DurableObjectState, env: HostEnv) {
    super(state, env)
    setFailureMark(env.FAILURE_MARK)
  }

  override fetch(request: Request): Response | Promise<Response> {
    const body = request.body as ReadableStream<Uint8Array> | null
    return body === null ? this.#answer(request) : this.#answerAfterBody(body, request)
  }

  /** What has a body may write. */
  async #answerAfterBody(body: ReadableStream<Uint8Array>, request: Request): Promise<Response> {
    this.groups.begin()
    try {
      return await afterBody(body, this.#answer(request))
    } finally {
      this.groups.end()
    }
  }

  /** The writer answers for the status of all. */
  protected override async foundDamage(): Promise<void> {
    await this.env.WRITER?.fetch('http://writer/damage', {
      signal: AbortSignal.timeout(TELLING_MS),
    })
      .then((response) => response.text())
      .catch((error: unknown) =>
        log('error', { error: `The writer can't be reached: ${String(error)}` }),
      )
  }

  #answer(request: Request): Response | Promise<Response> {
    this.#env = withTokens(this.#env)
    if (this.#env.TRUSTING && !LOCAL_NAME.test(new URL(request.url).hostname))
      return new Response(FOREIGN_NAME, { status: 403 })
    if (this.#env.TRUSTING && isEmbedded(request.headers))
      return new Response(CROSS_SITE, { status: 403 })
    const isDown = !isHealthy() && new URL(request.url).pathname.startsWith(STATUS)
    const answered = service.fetch(request, isDown ? { ...this.#env, DB: DOWN } : this.#env)
    return this.mayWrite ? answered : this.#unlessItWrites(answered)
  }

  /** The answer, or 421 where it needed to write: the launcher then asks the process that writes. */
  async #unlessItWrites(answered: Response | Promise<Response>): Promise<Response> {
    const before = this.refusedWrites
    const response = await answered
    if (this.refusedWrites === before) return response
    await response.body?.cancel()
    return new Response(null, { status: NOT_FOR_READERS })
  }
}

/** How long a reader waits until the writer knows of a damage. */
const TELLING_MS = 1000

/** Bytes and time that the rest of a refused body may take. */
const MOST_DISCARDED = 256 * 1024 * 1024
const LONGEST_DISCARDING_MS = 10_000

/**
 * The response, after the rest of the body was read. workerd closes a connection on which an answer comes before the end
 * of a body, and a sender that is still writing then fails before it can read the answer.
 */
async function afterBody(
  body: ReadableStream<Uint8Array>,
  answered: Response | Promise<Response>,
): Promise<Response> {
  const response = await answered
  // The service itself reads what it accepts, also after it has begun to answer.
  if (response.status >= 400 && !body.locked) await discard(body).catch(() => undefined)
  return response
}

async function discard(body: ReadableStream<Uint8Array>): Promise<void> {
  const until = Date.now() + LONGEST_DISCARDING_MS
  const reader = body.getReader()
  for (let read = 0; read < MOST_DISCARDED && Date.now() < until;) {
    const { value, done } = await reader.read()
    if (done) return
    read += value.length
  }
}
