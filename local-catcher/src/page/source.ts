// Where the page has its requests from: a running catcher, or a record file.
import type { Catcher } from '../catcher.js'
import { readRecords } from '../record.js'
import { CapturedRequest } from '../request.js'
import { count } from '../values.js'

/** What the page shows: the requests of a running catcher, or those of a record file. */
export interface Source {
  /** The address of the catcher, null where there is none. */
  readonly url: string | null
  /** The record file, null for a running catcher. */
  readonly file: string | null
  /** What the list leaves out, as a sentence; '' where it leaves out nothing. */
  readonly note: string
  readonly requests: readonly CapturedRequest[]
  subscribe(follower: (request: CapturedRequest) => void): void
  /** The catcher that is running, which can be changed; a record file can't. */
  readonly catcher?: Catcher
}

// A page shows no more than one can look through.
const MOST_REQUESTS = 5000
const MOST_BYTES = 256 * 1024 * 1024

/** The requests that a running catcher holds. */
export const catcherSource = (catcher: Catcher): Source => ({
  url: catcher.url,
  file: null,
  note: '',
  get requests() {
    return catcher.requests
  },
  subscribe: (follower) => void catcher.subscribe(follower),
  catcher,
})

/** The last requests of a record file, numbered by their place in it. */
export async function fileSource(file: string, onBad: (reason: string) => void): Promise<Source> {
  const requests: CapturedRequest[] = []
  let bytes = 0
  let read = 0
  for await (const { request } of readRecords(file, onBad)) {
    // Several runs may have appended to one file, each counting from 1.
    requests.push(Object.freeze(Object.assign(new CapturedRequest(), request, { n: ++read })))
    bytes += request.bytes.length
    while (requests.length > MOST_REQUESTS || (requests.length > 1 && bytes > MOST_BYTES)) {
      bytes -= requests.shift()!.bytes.length
    }
  }
  const left = read - requests.length
  const before = `${count(left, 'request')} before these ${left === 1 ? 'is' : 'are'} not shown.`
  const note = left > 0 ? before : ''
  return { url: null, file, note, requests, subscribe: () => {} }
}
