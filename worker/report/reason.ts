/**
 * Extracts the reason from a failure's message: the part that stays the same from node to node. Reasons group
 * failures into causes, and the name of a cause derives from its reason, so a change of these rules is a new version.
 */

import { createHash } from 'node:crypto'

/** Part of the name of each cause, because other rules make other causes. */
export const RULES_VERSION = 1

/** Longest part of a message that is read, and longest reason, in characters. */
const LONGEST_MESSAGE = 4000
const LONGEST_REASON = 300

/** In the order of application: patterns of texts that vary, and their replacements. */
const RULES: readonly (readonly [what: string, pattern: RegExp, instead: string])[] = [
  // The event itself names the resource and its values; the reason follows them.
  ['the change that failed', /^change from [^]*? to [^]*? failed: /, ''],
  // Further lines quote journals, traces and commands.
  ['further lines', /\s*\n[^]*$/, ''],
  ['the mark of drift', / \(corrective\)$/, ''],
  ['the node of a compile error', / on node \S+$/, ''],
  ['the place of an error', / ?\((?:file: [^()]*|line: \d+[^()]*)\)/g, ''],
  ['the place of an error, older', / at \/\S+?:\d+(?::\d+)?/g, ''],
  ['a resource', /\b([A-Z]\w*(?:::[A-Z]\w*)*)\[[^\][\n]*\]/g, '$1[‹q›]'],
  ['a quoted value', /(?<!\w)'[^'\n]*'(?!\w)|"[^"\n]*"|“[^”\n]*”|‘[^’\n]*’|`[^`\n]*`/g, '‹q›'],
  ['a digest', /\{(?:md5|sha\d+(?:lite)?|mtime|ctime)\}[\w:-]+|\b[0-9a-f]{32,128}\b/g, '‹digest›'],
  ['a UUID', /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '‹id›'],
  ['a URL', /\b[a-z][a-z0-9+.-]*:\/\/[^\s,;)›]+/gi, '‹url›'],
  ['a path', /(?<![\w›.])(?:\/[\w.+@%~:-]+){2,}\/?|\b[A-Z]:\\[^\s'"]+/g, '‹path›'],
  [
    'a time',
    /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?/g,
    '‹time›',
  ],
  ['a number', /(?<![\p{L}\d_›])[-+]?(?:0x[0-9a-f]+|\d+(?:[.:,]\d+)*)/giu, '‹n›'],
  ['blanks', /\s+/g, ' '],
]

const NO_MESSAGE = 'failed without a message'

/** The reason in a message; `certname` is the node's own name, which varies too. */
export function reasonOf(message: string | null, certname: string): string {
  const named = (message ?? '').trim().slice(0, LONGEST_MESSAGE).replaceAll(certname, '‹node›')
  const reason = RULES.reduce((text, [, pattern, instead]) => text.replace(pattern, instead), named)
  return reason.trim().slice(0, LONGEST_REASON) || NO_MESSAGE
}

/** The name of a cause in addresses: 16 hex digits of its reason's digest, the same for every fleet. */
export const causeName = (reason: string): string =>
  createHash('sha1').update(`${RULES_VERSION} ${reason}`).digest('hex').slice(0, 16)
