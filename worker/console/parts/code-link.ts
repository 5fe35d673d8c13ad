/** A place in a manifest, as a link to the code host where the operator has set one (CODE_URL). */

import { versionIn } from '../../lib/code-version.ts'
import { html, type Html } from '../html.ts'
import { location } from './cause.ts'

interface Place {
  readonly file: string | null
  readonly line: number | null
  readonly code_version: string | null
}

/** The path of a manifest within its control repository: without the folder of its environment. */
const inRepository = (file: string): string =>
  file.replace(/^.*\/environments\/[^/]+\//, '').replace(/^\//, '')

const escaped = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** @param pattern the setting: an address with {version}, {file} and {line} */
export function codeLink(pattern: string, { file, line, code_version: version }: Place): Html {
  if (file === null) return ''
  const shown = location(file, line)
  if (file === '' || !/^https?:\/\//.test(pattern) || version === null) return html`${shown}`
  const parts: Readonly<Record<string, string>> = {
    version: encodeURIComponent(versionIn(version)),
    file: escaped(inRepository(file)),
    line: String(line ?? 1),
  }
  const href = pattern.replace(/\{(version|file|line)\}/g, (_, name: string) => parts[name]!)
  return html`<a href="${href}" rel="noreferrer">${shown}</a>`
}
