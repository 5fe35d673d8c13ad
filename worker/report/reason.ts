/**
 * Says why something failed: a label, which is a sentence of the message, and a key, which is equal for all messages
 * with the same cause. The name of a cause derives from its key.
 */

import { createHash } from 'node:crypto'
import { errorLineOf } from './failure/error-line.ts'
import { withoutNode, withPlaceholders } from './failure/placeholders.ts'

/** Part of the name of each cause. Housekeeping groups stored failures again when it is raised (housekeeping/regroup.ts). */
export const RULES_VERSION = 8

/** Longest line that is read, and longest label, in characters. */
const LONGEST_LINE = 1000
const LONGEST_LABEL = 300

/** Where the failure is, which every report says separately from the message. */
const PLACES: readonly RegExp[] = [
  / on node \S+$/,
  / ?\((?:file: [^()]*|line: \d+[^()]*)\)/g,
  /(?:^| )at \/\S+?:\d+(?::\d+)?/g,
  // Puppet 3 writes the line first, or the folder of a module without its path.
  / at \d+:(?:[a-z]:)?\/\S+$/i,
  / at [\w-]+\/manifests\/\S+?:\d+(?::\d+)?/g,
  / \(corrective\)$/,
]
const PLACE_FILE = /\(file: ([^(),]+)|\bat (\/[^\s:]+):\d+/
/** What follows the sentence: advice of systemd, of apt, of Windows. */
const ADVICE =
  /(?: (?:These errors are logged to the ETW channel|For more information,? see about_)|;? See (?:system logs and )?["'“]?(?:systemctl|journalctl) |\. Run `|, is another process using it\?).*$/
const BULLET = /^(?:[-*•>|]+\s+)+/

/** Outcomes that say nothing without their resource; an exit code is all that is said of its line. */
const OUTCOMES: readonly RegExp[] = [
  // An exit code.
  /(?:^|['\]\s])returned (-?\d+|:\w+)(?: instead of one of \[.*\])?:?$/,
  // A time-out.
  /^(?:Command exceeded timeout|execution expired|Timeout::\w+|.{0,80}\btimed out(?: after [\d.]+ ?\w*)?)\.?$/i,
  // An error of a program that does not say what it worked on.
  /^(?:Error: (?:Nothing to do|No matching Packages to list)|E: (?:Sub-process|Unmet dependencies|Unable to correct problems).*|(?:Failed to (?:un)?install|Failed to execute operation): .*|start: Job failed to start|curl: \(22\) .*|(?:.* )?ERROR [45]\d\d: .*)$/,
  // A resource of DSC that does not say what is wrong.
  /^(?:Test-TargetResource returned false after calling set|The SendConfigurationApply function did not succeed|threw one or more non-terminating errors .*)\.$/,
  // An error of the operating system alone.
  /^(?:Access is denied|The (?:parameter|handle) is (?:incorrect|invalid)|The system cannot find the (?:file|path) specified|Permission denied|Operation not permitted|No such file or directory|Killed|Terminated|Aborted|Segmentation fault)(?: \(core dumped\))?\.?$/i,
]
/** Messages whose file is part of the failure: another file has another mistake. */
const NAMES_NO_SUBJECT =
  /^(?:Syntax error|Illegal |Unclosed |This \S+ has no effect|Operator '|The value '|(?:Left|Right) (?:match )?operand|Comparison of |undefined (?:local variable or )?method |wrong number of arguments|'[\w:]+' (?:parameter|expects|block) )/

/** What a failure is about. */
export interface FailureContext {
  readonly certname: string
  /** `Exec[db-migrate]`; null where no resource failed. */
  readonly resource: string | null
}

export interface Reason {
  /** The sentence that people read, with a placeholder for the node's own name. */
  readonly label: string
  /** Equal for all failures of one cause. */
  readonly key: string
}

/** The reason in a message, which may be null or empty. */
export function reasonOf(message: string | null, { certname, resource }: FailureContext): Reason {
  const { line, heads } = errorLineOf(message ?? '')
  const subject = resource ?? 'The run'
  const raw = (line ?? '').slice(0, LONGEST_LINE)
  const text = sentenceOf(raw) || sentenceOf(outcomeOf(heads).slice(0, LONGEST_LINE))
  const reason = (sentence: string, place = ''): Reason => {
    const ofAny = withoutNode(sentence, certname)
    return { label: shortened(ofAny) + place, key: withPlaceholders(ofAny) + place }
  }
  if (text === '') return reason(`${subject} failed without a message`)
  for (const pattern of resource === null ? [] : OUTCOMES) {
    const found = pattern.exec(text)
    if (found) return reason(subject + (found[1] ? ` returned ${found[1]}` : `: ${text}`))
  }
  const file = NAMES_NO_SUBJECT.test(text) ? fileIn(raw) : ''
  return reason(text, file === '' ? '' : ` (${file})`)
}

const sentenceOf = (line: string): string =>
  PLACES.reduce((rest, place) => rest.replace(place, ''), line)
    .replace(ADVICE, '')
    .replace(BULLET, '')
    .replace(/\s+/g, ' ')
    .trim()

/** What failed, where nothing says why: the head that names a resource, else the last. */
const outcomeOf = (heads: readonly string[]): string =>
  heads.findLast((head) => /^Could not \w+ .*\]$/.test(head)) ?? heads.at(-1) ?? ''

const shortened = (text: string): string =>
  text.length <= LONGEST_LABEL ? text : `${text.slice(0, LONGEST_LABEL - 1)}…`

/** The file that a message names, without the folder of its environment. */
function fileIn(message: string): string {
  const found = PLACE_FILE.exec(message)
  const file = found?.[1] ?? found?.[2] ?? ''
  return file.replace(/^.*\/environments\/[^/]+\//, '')
}

/** The name of a cause in addresses: 16 hex digits of its key's digest, the same for every fleet. */
export const causeName = (key: string): string =>
  createHash('sha1').update(`${RULES_VERSION} ${key}`).digest('hex').slice(0, 16)

/** Whether a cause with the label may have the name: any, if the label was cut off. */
export function isNameOfLabel(name: string, label: string): boolean {
  const [, text = label, place = ''] = LABEL.exec(label) ?? []
  const keys = [withPlaceholders(label), withPlaceholders(text) + place]
  return label.endsWith('…') || keys.map(causeName).includes(name)
}

/** A label that ends with its file. */
const LABEL = /^(.*)( \([^()]+\))$/
