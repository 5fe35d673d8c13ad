// A connection: collects its requests, reports what is not one, and sends the answers in their order.
import type { Socket } from 'node:net'
import type { Clock } from './clock.js'
import type { Pair } from './content.js'
import { reasonOf } from './errors.js'
import { NotHttp, RequestReader, type Head, type Listener } from './reader.js'
import { CapturedRequest, NOTHING, type Broken, type Draft } from './request.js'
import { formatDuration } from './values.js'

/** Milliseconds that a sender may take. */
export const HEAD_TIME = 10_000
export const BODY_TIME = 60_000
const LATE = `the headers may take ${formatDuration(HEAD_TIME)}, the body ${formatDuration(BODY_TIME)}`
const LEFT = 'the sender closed the connection'
// Who sends more ahead of an answer is not read until that is given.
const MOST_AHEAD = 64 * 1024

/** Why TLS failed, by a part of the code of the error. */
const TLS_CAUSES: readonly (readonly [sign: RegExp, cause: string])[] = [
  [/HTTP_REQUEST/, 'the sender spoke plain HTTP to a TLS port: use https://'],
  [/UNKNOWN_CA$|CERTIFICATE_UNKNOWN$/, 'the sender does not trust the certificate'],
]

/** Hears of each request, which came in whole or broke off, when its answer is due. */
export type Receive = (request: Draft, connection: Connection) => Promise<void>

export class Connection implements Listener {
  private readonly reader = new RequestReader(this)
  private readonly remote: string
  private request: Draft | null = null
  /** The answer has no body. */
  isHead = false
  /** Another request may follow. */
  keepsAlive = true
  /** The body so far, with room for more: its pieces, of a byte each, would take a hundred times as much. */
  private body: Buffer = NOTHING
  private isBroken = false
  private failure: NodeJS.ErrnoException | null = null
  private patience: number | null = null
  private cancel = () => {}
  private isAnswering = false
  /** The answer waits for a delay or a target, or is never given. */
  isWaiting = false
  /** Ends the delay that the answer waits for. */
  private wake: (() => void) | null = null

  /** `raw` is the connection below TLS, or the same; of a body, `limit` bytes are kept. */
  constructor(
    readonly socket: Socket,
    private readonly raw: Socket,
    private readonly limit: number,
    private readonly receiver: Receive,
    private readonly clock: Clock,
  ) {
    const { remoteAddress = '?', remotePort = 0 } = raw
    this.remote = `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`
    socket.allowHalfOpen = true
    socket
      .on('data', (piece: Buffer) => this.read(piece))
      .on('drain', () => this.proceed())
      .on('end', () => this.proceed())
      .on('error', (error) => {
        this.failure = error
        // After the handshake, TLS leaves that to us.
        socket.destroy()
      })
      .on('close', () => this.proceed())
  }

  /** Whether a request has begun and not ended. */
  get isReceiving() {
    return this.request !== null
  }

  /** Whether the next request has to wait: for the answer to the one before, or until that is read. */
  get isBusy() {
    return this.isAnswering || this.socket.writableNeedDrain
  }

  /** The request is answered, as far as it is. */
  endTurn() {
    this.isAnswering = false
    this.proceed()
  }

  /** Goes on with what was sent ahead, and ends after it where the sender has closed its half. */
  private proceed() {
    const { socket } = this
    if (this.wake && socket.closed) this.wake()
    // While an answer is waited for, such a sender counts as gone.
    if (socket.readableEnded && this.isWaiting) socket.end()
    if (this.isBusy) return
    this.read(NOTHING)
    if (this.isAnswering) return
    if (socket.closed) this.leave(this.failure)
    else if (socket.readableEnded) socket.end()
  }

  /** Sends bytes, or Latin-1 text. Who does not read the answers has no more requests read. */
  write(data: string | Buffer) {
    if (!this.socket.write(data, 'latin1')) this.socket.pause()
  }

  /** Waits before an answer, but no longer than the connection is there. */
  async delay(milliseconds: number) {
    let cancel = () => {}
    await new Promise<void>((resolve) => {
      this.wake = resolve
      cancel = this.clock.after(milliseconds, resolve)
    })
    this.wake = null
    cancel()
  }

  /** Closes the connection if its sender waits for a delay. */
  cutDelay() {
    if (this.wake) this.socket.destroy()
  }

  /** Resets the connection, for which TLS has no word: that below it is reset. */
  reset() {
    this.raw.resetAndDestroy()
  }

  begin({ method, url, httpVersion, headers, length, keepsAlive, waits }: Head) {
    this.request = Object.assign(this.blank(), { method, url, httpVersion, headers })
    this.isHead = method === 'HEAD'
    this.keepsAlive = keepsAlive
    this.body = Buffer.allocUnsafe(Math.min(length ?? 0, this.limit))
    if (waits) this.write('HTTP/1.1 100 Continue\r\n\r\n')
  }

  /** A request that comes now. */
  private blank(): Draft {
    const request = new CapturedRequest() as Draft
    request.time = this.clock.date()
    request.started = this.clock.now()
    request.remote = this.remote
    return request
  }

  receive(piece: Buffer) {
    const { request, body, limit } = this
    const end = Math.min(request!.size + piece.length, limit)
    if (end > body.length) this.body = Buffer.concat([body], Math.min(2 * end, limit))
    piece.copy(this.body, request!.size)
    request!.size += piece.length
  }

  end(trailers: readonly Pair[]) {
    this.isAnswering = true
    void this.receiver(this.finish(trailers), this)
  }

  private finish(trailers: readonly Pair[]): Draft {
    const { request, body, limit } = this
    this.request = null
    this.body = NOTHING
    this.wait(null)
    request!.trailers = trailers
    request!.truncated = request!.size > limit
    // A request that is held must not keep the room for more.
    request!.bytes =
      request!.size < body.length ? Buffer.from(body.subarray(0, request!.size)) : body
    return request!
  }

  private read(piece: Buffer) {
    if (this.isBroken) return
    const { reader, socket } = this
    try {
      reader.read(piece)
      const isHead = reader.pending.length > 0 && !this.isBusy
      this.wait(this.isReceiving ? BODY_TIME : isHead ? HEAD_TIME : null)
      if (this.isBusy && reader.pending.length > MOST_AHEAD) socket.pause()
      else if (socket.isPaused() && !socket.writableNeedDrain) socket.resume()
    } catch (thrown) {
      if (!(thrown instanceof NotHttp)) throw thrown
      this.breakOff('malformed', thrown.message)
    }
  }

  /** Waits so many milliseconds for the rest of what has begun. */
  private wait(patience: number | null) {
    if (patience === this.patience) return
    this.cancel()
    this.patience = patience
    if (patience === null) return
    this.cancel = this.clock.after(patience, () => this.breakOff('incomplete', LATE))
  }

  /** The connection is closed, perhaps within a request, or for what went wrong with it. */
  leave(failure: NodeJS.ErrnoException | null) {
    const { isReceiving, reader, isBroken } = this
    if (isBroken) return
    const { code = '' } = failure ?? {}
    if (/^ERR_SSL/.test(code)) {
      const cause = TLS_CAUSES.find(([sign]) => sign.test(code))?.[1]
      this.breakOff('malformed', cause ?? `the sender broke off TLS: ${reasonOf(failure)}`)
    } else if (isReceiving || reader.pending.length > 0) this.breakOff('aborted', LEFT)
  }

  /** Ends what has begun before its end; nothing is read any more. */
  private breakOff(outcome: Broken, cause: string) {
    const { reader, isReceiving } = this
    this.isBroken = true
    this.keepsAlive = false
    const request = isReceiving ? this.finish([]) : this.blank()
    if (!isReceiving) request.raw = reader.pending
    this.wait(null)
    const length = request.header('content-length') ?? 'an unknown number of'
    const progress = `${outcome} after ${request.size} of ${length} bytes`
    const causes = { aborted: progress, incomplete: `${progress}: ${cause}`, malformed: cause }
    request.outcome = outcome
    request.cause = isReceiving ? causes[outcome] : cause
    void this.receiver(request, this)
  }
}
