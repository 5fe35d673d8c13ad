/** Says of a page over years how far it looked, and which files are missing in it. */

import type { Looked } from '../../insight/years/looked.ts'
import { counted } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { moment } from './time.ts'

export function yearsReach({ from, until, files, reads }: Looked, now: number): Html {
  const read = `${counted(files, 'file')} of the history, in ${counted(reads, 'read')}`
  return from === null
    ? html`Everything that is kept was read: ${read}.`
    : html`Read from ${moment(from, now)} to ${moment(until, now)}: ${read}.`
}

/** @param what is missing with the files */
export const missingFiles = ({ unreadable }: Looked, what: string): Html =>
  unreadable.length === 0
    ? NONE
    : html`<p class="note failed">
        ${counted(unreadable.length, 'file')} of the history could not be read, and its ${what} are
        missing here: ${unreadable.join(', ')}
      </p>`
