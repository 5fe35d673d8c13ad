/**
 * Keeps the commands that an isolate handles at a time within its memory. A request never awaits a promise of another one,
 * which Workers forbids: it looks again and again whether there is room.
 */

import { Unavailable } from '../lib/errors.ts'

const PAUSE_MS = 5
const LONGEST_WAIT_MS = 10_000
/** A request that was cancelled never says that it has ended. */
const LONGEST_WORK_MS = 60_000

const BUSY = 'Too many large commands are being handled right now; try again.'

/** A command that is handled, or that waits. */
interface Claim {
  readonly bytes: number
  /** It is forgotten then, in ms since 1970. */
  readonly until: number
}

const handled = new Set<Claim>()
/** In the order of their arrival, so that a large one gets its turn. */
const waiting = new Set<Claim>()

/**
 * Does work on a command when the commands before it leave room for it: together they have at most the bytes of the
 * largest one. With half as much again a hostile sender ended an isolate in some of a dozen tries.
 *
 * @param bytes of the command, unpacked @param most bytes of a command
 * @throws Unavailable where there is no room for ten seconds
 */
export async function whenThereIsRoom<Result>(
  bytes: number,
  most: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const arrived = Date.now()
  const turn: Claim = { bytes, until: arrived + LONGEST_WAIT_MS }
  waiting.add(turn)
  try {
    while (!isNext(turn) || !hasRoom(bytes, most)) {
      if (Date.now() >= turn.until) {
        throw new Unavailable(BUSY)
      }
      await pause()
    }
  } finally {
    waiting.delete(turn)
  }
  const claim: Claim = { bytes, until: Date.now() + LONGEST_WORK_MS }
  handled.add(claim)
  try {
    return await work()
  } finally {
    handled.delete(claim)
  }
}

/** Counts further bytes of a body before they are kept, as soon as others leave room for them. */
export type Grow = (bytes: number) => Promise<void>

/** Bodies that are read, or were and wait, in the order of their arrival. */
const bodies = new Set<Claim>()

/**
 * Does work that reads a body, while the isolate keeps bodies of at most twice the largest command, and one more: the oldest
 * always continues, so that half-read ones never wait for each other. A slow sender counts with what it has sent.
 *
 * @param most bytes of a command
 * @throws Unavailable from `grow` where there is no room for ten seconds
 */
export async function whileReading<Result>(
  most: number,
  work: (grow: Grow) => Promise<Result>,
): Promise<Result> {
  const claim = { bytes: 0, until: Date.now() + LONGEST_WORK_MS }
  bodies.add(claim)
  const grow = async (bytes: number): Promise<void> => {
    const arrived = Date.now()
    claim.until = arrived + LONGEST_WORK_MS
    while (!mayGrow(claim, bytes, most)) {
      if (Date.now() >= arrived + LONGEST_WAIT_MS) throw new Unavailable(BUSY)
      await pause()
    }
    claim.bytes += bytes
  }
  try {
    return await work(grow)
  } finally {
    bodies.delete(claim)
  }
}

function mayGrow(claim: Claim, bytes: number, most: number): boolean {
  forgetEnded(bodies, claim)
  return bodies.values().next().value === claim || sumOf(bodies) + bytes <= 2 * most
}

const isNext = (turn: Claim): boolean => {
  forgetEnded(waiting, turn)
  return waiting.values().next().value === turn
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

function hasRoom(bytes: number, most: number): boolean {
  forgetEnded(handled)
  const sum = sumOf(handled)
  return sum === 0 || sum + bytes <= most
}

function sumOf(claims: Iterable<Claim>): number {
  let sum = 0
  for (const { bytes } of claims) sum += bytes
  return sum
}

function forgetEnded(claims: Set<Claim>, except?: Claim): void {
  const now = Date.now()
  for (const claim of claims) if (claim.until <= now && claim !== except) claims.delete(claim)
}
