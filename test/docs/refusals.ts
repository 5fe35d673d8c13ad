/** The sentences by which the code refuses a request or a start, or warns in the log, read from its source. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './markdown.ts'

export interface Refusal {
  /** File and line. */
  readonly where: string
  /** The sentence, with … for each part that differs from case to case. */
  readonly sentence: string
  /** Of the answer; null where the place of the sentence doesn't say it. */
  readonly status: number | null
}

/** Class, or class and kind, of an error → the status of its answer, as `worker/http/respond.ts` gives it. */
const STATUSES: Readonly<Record<string, number>> = {
  'Denied forbidden': 403,
  'Denied unauthenticated': 401,
  'Refused incomplete': 400,
  'Refused not acceptable': 406,
  'Refused too large': 413,
  'Refused unsupported media type': 415,
  TooMany: 429,
  Unavailable: 503,
}

function statusOf(node: ts.Node): number | null {
  if (!ts.isNewExpression(node)) return null
  const name = node.expression.getText()
  const [kind] = node.arguments ?? []
  const text = kind !== undefined && ts.isStringLiteral(kind) ? kind.text : ''
  return STATUSES[`${name} ${text}`] ?? STATUSES[name] ?? null
}

/** Classes whose messages refuse. A QueryError and a CommandError name the place in what was sent, and are explained as one. */
const REFUSING = /^(StartError|Denied|Unavailable|TooMany|Refused)$/
const EXPLAINED_BY_THEMSELVES = /^(QueryError|CommandError|Misconfigured|HistoryError|ImportError)$/
/** Functions that take a sentence for the log. */
const WARNING = /^(log|say|onTrouble|onProblem|onRescue|failed)$/

/** Files that make such sentences for others to throw or to log. */
const SENTENCE_FILES = [
  'worker/access/certificates.ts',
  'worker/access/decide.ts',
  'worker/http/in-flight.ts',
  'worker/http/public-address.ts',
  'worker/local/backup/database-file.ts',
  'worker/local/health.ts',
  'worker/local/host/certificate-files.ts',
  'worker/local/host/tls-port.ts',
  'worker/local/lost-files.ts',
  'worker/local/preconditions.ts',
  'worker/local/schema.ts',
  'worker/local/service.ts',
  'worker/local/upgrade.ts',
  'worker/local/weekly-check.ts',
  'worker/local/writer.ts',
  'worker/schema/capacity.ts',
  'worker/store/failures.ts',
]

/** Texts in those files that are no sentences: parts of one, headers, and D1's own messages, which ours replace. */
const OTHERS: readonly (readonly [file: RegExp, text: RegExp])[] = [
  [/store\/failures/, /[^.…;]$/],
  [/access\/decide/, /^(?:Bearer|, Basic) …/],
  [/local\/schema/, /^index …/],
  [/local\/preconditions/, /^(?:write the file|a note of the backup …)$/],
  [/local\/upgrade/, /^The database in …$/],
  [/certificate-files/, /^The certificate "…" in …$/],
]

/** Every sentence, each once, in the order of files. */
export function refusals(): readonly Refusal[] {
  const files = ['worker', 'tools/backup', 'tools/commands']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.startsWith('worker/console/browser'))
    .sort()
  const found = new Map<string, Refusal>()
  for (const path of files)
    for (const refusal of refusalsIn(path))
      if (!found.has(refusal.sentence)) found.set(refusal.sentence, refusal)
  return [...found.values()]
}

function refusalsIn(path: string): Refusal[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const all = SENTENCE_FILES.includes(path)
  const found: Refusal[] = []
  const visit = (node: ts.Node, inside: boolean, status: number | null): void => {
    const isQuiet =
      ts.isNewExpression(node) && EXPLAINED_BY_THEMSELVES.test(node.expression.getText())
    if (isQuiet) return
    const sentence = inside ? sentenceOf(node) : null
    if (sentence !== null) {
      if (OTHERS.some(([file, other]) => file.test(path) && other.test(sentence))) return
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push({ where: `${path}:${line + 1}`, sentence, status })
      return
    }
    const known = statusOf(node) ?? status
    node.forEachChild((child) => visit(child, inside || refusesOrWarns(node), known))
  }
  visit(source, all, null)
  return found
}

function refusesOrWarns(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) return REFUSING.test(node.expression.getText())
  if (!ts.isCallExpression(node)) return false
  const [first] = node.arguments
  const called = node.expression.getText().replace(/^.*\./, '')
  if (called === 'log' || called === 'say')
    return first !== undefined && /^(?:'warn'|'error'|.*\?)/.test(first.getText())
  return WARNING.test(called)
}

/** The text of a literal that is a sentence; null for other nodes, and for words. */
function sentenceOf(node: ts.Node): string | null {
  const text =
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
        : null
  if (text === null) return null
  const line = text.split('\n')[0]!.trim()
  return /\p{L}{2,} .*\p{L}{2,}/u.test(line) && line.split(' ').length >= 4 ? line : null
}
