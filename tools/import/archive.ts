/** Reads an archive of `puppet db export` or of this service as a stream, report by report. */

import { createReadStream } from 'node:fs'
import { commandAt, METADATA_PATH, readMetadata } from '../../worker/archive/format.ts'
import { gunzip } from '../../worker/archive/gzip.ts'
import { readTar } from '../../worker/archive/tar.ts'
import { isRecord, parseJson } from '../../worker/lib/lossless.ts'
import { parseTimestamp } from '../../worker/lib/time.ts'
import { isSelected, type ReportSelection } from './selection.ts'
import { ImportError, type Item, type ReportSource } from './source.ts'

/** Bytes of one entry; the service accepts at most 32 MB. */
const MOST_BYTES = 64 * 1024 * 1024

export const archiveSource = (file: string, selection: ReportSelection): ReportSource => ({
  total: null,
  async *items(wanted): AsyncGenerator<Item> {
    let version: number | undefined
    for await (const entry of readTar(gunzip(createReadStream(file)))) {
      if (entry.path === METADATA_PATH) {
        const metadata = await entry.content(MOST_BYTES)
        version = readMetadata(metadata?.toString() ?? '').store_report
      } else if (commandAt(entry.path)?.command === 'store_report') {
        if (version === undefined) {
          throw new ImportError(
            `${file} is not an archive of PuppetDB: ${METADATA_PATH} is missing.`,
          )
        }
        if (!wanted(entry.path)) continue
        const content = await entry.content(MOST_BYTES)
        if (content === null)
          throw new ImportError(`${entry.path} has more than ${MOST_BYTES} bytes.`)
        const item = commandItem(entry.path, content.toString(), version)
        if (isSelected(selection, item)) yield item
      }
    }
  },
})

/** A report in the wire format → the command that stores it. */
export function commandItem(name: string, text: string, version: number): Item {
  const { certname, time } = headOf(text)
  const parameters = new URLSearchParams({
    command: 'store_report',
    version: String(version),
    certname,
  })
  const path = `pdb/cmd/v1?${parameters}`
  return { name, certname, time, path, type: 'application/json', body: text }
}

/** The service reads the payload again, and refuses unreadable ones itself. */
function headOf(text: string): Pick<Item, 'certname' | 'time'> {
  const { certname, producer_timestamp: time } = recordIn(text)
  return {
    certname: typeof certname === 'string' && certname !== '' ? certname : 'unknown',
    time: typeof time === 'string' ? parseTimestamp(time) : null,
  }
}

function recordIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const payload = parseJson(text)
    return isRecord(payload) ? payload : {}
  } catch {
    return {}
  }
}
