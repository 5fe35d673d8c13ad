/** Mutants that need no case, each with why. `npm run test:mutants` leaves them out, and fails if one no longer exists. */

import { NUMBERS_WITHOUT_ROW } from '../house/numbers-without-row.ts'
import type { Mutant } from './mutations.ts'
import { mutationText } from './mutations.ts'

export interface Accepted {
  readonly file: string
  /** The line, without indentation. */
  readonly source: string
  /** As the run prints it. */
  readonly mutation: string
  readonly why: string
}

export const ACCEPTED: readonly Accepted[] = [
  {
    file: 'worker/housekeeping/unused-entries.ts',
    source: 'if (page.length > 0)',
    mutation: '> → >=',
    why: 'To mark no reports is a statement that changes nothing.',
  },
  {
    file: 'worker/http/commands/submit-report.ts',
    source: 'const WAITS_MS = [1000, 3000, 6000]',
    mutation: '3000 → 3001',
    why: 'A wait that is a millisecond longer is as good to every sender.',
  },
  {
    file: 'worker/history/part-writer.ts',
    source: 'this.characters = 0',
    mutation: 'dropped: this.characters = 0',
    why: 'How the rows of a part are grouped: with long logs, smaller groups hold the same rows.',
  },
  {
    file: 'worker/postgres/regex/step-budget.ts',
    source: 'spent = 0',
    mutation: '0 → 1',
    why: 'A budget of 30 million steps, which is documented nowhere, may have one less.',
  },
  {
    file: 'worker/store/dictionary-reader.ts',
    source: 'if (dictionary.bytes <= MOST_BYTES.dictionaries && !dictionary.isPartial) continue',
    mutation: '<= → <',
    why: 'A dictionary of exactly as many bytes as memory has for it is read page by page, with the same answer.',
  },
  {
    file: 'worker/report/body-metrics.ts',
    source:
      'if (isRegularMetric(metric)) characters += metric.category.length + metric.name.length',
    mutation: '+= → -=',
    why: 'Names that are too long are then found by their list, which takes more memory, and the outcome is the same.',
  },
  {
    file: 'worker/sql/hash.ts',
    source: "const [from, to] = ['0', 'f'].map((digit) => bytesOfHex(digits.padEnd(40, digit)))",
    mutation: '40 → 41',
    why: 'Half a byte more is no byte.',
  },
  {
    file: 'worker/store/id-caches.ts',
    source: 'highestAtFirst: 1000,',
    mutation: '1000 → 1001',
    why: 'How much an empty cache is filled with at once; what it lacks is read when a page needs it.',
  },
  {
    file: 'worker/archive/wire.ts',
    source: 'const AROUND_A_VALUE = 5',
    mutation: '5 → 6',
    why: 'No value that is stored nests deeper than the bound, so that printing may allow a level more.',
  },
  {
    file: 'worker/sql/columns.ts',
    source: "typeof expression === 'string' ? uuidSelected(expression) : uuidSelected(expression),",
    mutation: '=== → !==',
    why: 'Both sides are the same call, told apart for its types.',
  },
  {
    file: 'local-catcher/src/redact.ts',
    source: 'for (let i = 0; i < MOST_ENCODINGS; i++) {',
    mutation: 'i++ → i--',
    why: 'Each round makes the text shorter, or is the last; the bound only saves work.',
  },
  {
    file: 'worker/archive/tar.ts',
    source: 'type: [156, 1],',
    mutation: '1 → 2',
    why: 'The byte after it begins the name of a link, which a file and a pax header lack.',
  },
  {
    file: 'worker/lib/inflated.ts',
    source: 'export const inflated = { characters: 0 }',
    mutation: '0 → 1',
    why: 'Garbage is collected after some 16 million characters, one more or less.',
  },
  {
    file: 'worker/local/build-worker.ts',
    source: 'await mkdir(folder, { recursive: true })',
    mutation: 'true → false',
    why: 'The folder above it is there wherever the program itself could be built.',
  },
  {
    file: 'worker/housekeeping/retention.ts',
    source: 'Date.now() < until &&',
    mutation: '< → <=',
    why: 'Ten minutes and a millisecond are as good.',
  },
  {
    file: 'local-catcher/src/show/json.ts',
    source: "const colours = new Array<string>(WORD + 1).fill('')",
    mutation: '+ → -',
    why: 'The last kinds have a colour, and get a place with it.',
  },
  {
    file: 'local-catcher/src/bin.ts',
    source: 'process.exitCode = 1',
    mutation: 'dropped: process.exitCode = 1',
    why: 'Only a bug leaves nothing to wait for before there is a code.',
  },
  {
    file: 'local-catcher/src/command/child.ts',
    source: "const windowsVerbatimArguments = file !== command[0] && args[0] === '/d'",
    mutation: '0 → 1',
    why: 'Only Windows reads it, on which these tests do not run.',
  },
  {
    file: 'worker/postgres/regex/states.ts',
    source: 'private round = 0',
    mutation: '0 → 1',
    why: 'Rounds are compared with each other only, and nodes that no round has seen have 0.',
  },
  {
    file: 'worker/postgres/to-char/layout.ts',
    source: 'return end < 0 ? cells : cells.slice(0, end)',
    mutation: '< → <=',
    why: 'No mask of up to five elements puts the terminating byte first, for any number.',
  },
  {
    file: 'local-catcher/src/certificate.ts',
    source: 'serial[0] = (serial[0] & 0x3f) | 0x40',
    mutation: '0x3f → 64',
    why: 'A serial number with fewer random bits is as good to every client.',
  },
  {
    file: 'local-catcher/src/inbox.ts',
    source: 'await coming.return?.()',
    mutation: 'dropped: await coming.return?.()',
    why: 'Listeners of waits that are over hear nothing more that is used; it only frees memory.',
  },
  {
    file: 'local-catcher/src/bin.ts',
    source: 'void runCommand(process.argv.slice(2), process).then((code) => process.exit(code))',
    mutation: '2 → 3',
    why: 'All tests that start the command fail with it, but are not known to reach a module without a block.',
  },
  {
    file: 'local-catcher/src/page/detail.ts',
    source: "if (wanted === '') return requests",
    mutation: "dropped: if (wanted === '') return requests",
    why: 'Every request holds the empty text; it only saves decoding their bodies.',
  },
  {
    file: 'local-catcher/src/request.ts',
    source: 'readonly started: number = 0',
    mutation: '0 → 1',
    why: 'A request that comes in has its own, and nothing reads it of one from a record.',
  },
  {
    file: 'worker/lib/invariant.ts',
    source: 'if (!condition) throw new Error(`Broken invariant: ${message}`)',
    mutation: 'dropped: if (!condition) throw new Error(`Broken invariant: ${message}`)',
    why: 'It holds unless our own code has a bug; the compiler takes it for granted behind it.',
  },
  {
    file: 'worker/local/log-bound.ts',
    source: 'const bytes = await logBytes(database).catch(() => 0)',
    mutation: '0 → 1',
    why: 'A byte is as far from the 32 MiB from which on readers wait.',
  },
  {
    file: 'tools/backup/backup-note.ts',
    source: 'flush: true,',
    mutation: 'true → false',
    why: 'Only a power cut tells whether the note was on the disk.',
  },
  {
    file: 'worker/local/backup/log-note.ts',
    source: 'const NOTE_BYTES = 128',
    mutation: '128 → 129',
    why: 'Any length is as good that holds the note, whose rest is blanks.',
  },
  {
    file: 'tools/build/assets.ts',
    source: "if ((await readFile(path, 'utf8').catch(() => null)) === text) return",
    mutation: "dropped: if ((await readFile(path, 'utf8').catch(() => null)) === text) return",
    why: 'The same text is then written again, whole; it only saves work.',
  },
  {
    file: 'worker/housekeeping/count-days.ts',
    source: 'if (days.length < DAYS_AT_ONCE) break',
    mutation: 'dropped: if (days.length < DAYS_AT_ONCE) break',
    why: 'Another look then finds no day, and ends; it only saves a statement.',
  },
  {
    file: 'worker/history/rows.ts',
    source: 'if (a !== b) return a < b ? -1 : 1',
    mutation: '< → <=',
    why: 'The two are never equal there.',
  },
  {
    file: 'worker/history/rows.ts',
    source: 'if (a !== b) return a < b ? -1 : 1',
    mutation: '1 → 2',
    why: 'A sort reads the sign only.',
  },
  {
    file: 'tools/backup/backup-set.ts',
    source: '(one < other ? -1 : 1)',
    mutation: '1 → 2',
    why: 'A sort reads the sign only.',
  },
  {
    file: 'worker/outcomes/view.ts',
    source: 'ofHours: true,',
    mutation: 'true → false',
    why: 'Versions of code are then asked for with no condition, and the condition on the type holds for all of them.',
  },
  {
    file: 'worker/notify/notify.ts',
    source: 'await markGrown(database, now - SETTLING_MS - 1)',
    mutation: '1 → 2',
    why: 'What grew in that millisecond is told by the next run.',
  },
  {
    file: 'worker/notify/incident-sentence.ts',
    source: 'if (items.every(({ cause }) => cause === null)) return null',
    mutation: 'dropped: if (items.every(({ cause }) => cause === null)) return null',
    why: 'An incident has a cause, which none of them has; it only saves reading it.',
  },
  {
    file: 'worker/integrity/causes.ts',
    source:
      'const END = `coalesce((select id from causes where id > ?1 order by id limit 1 offset ${PAGE - 1}), ${Number.MAX_SAFE_INTEGER})`',
    mutation: '- → +',
    why: 'A page of the check has two rows more, and the next one continues after it.',
  },
  {
    file: 'worker/integrity/report-rows.ts',
    source:
      'const END = `coalesce((select id from reports where id > ?1 order by id limit 1 offset ${REPORT_PAGE - 1}), ${Number.MAX_SAFE_INTEGER})`',
    mutation: '- → +',
    why: 'A page of the check has two rows more, and the next one continues after it.',
  },
  {
    file: 'worker/sql/dictionaries.ts',
    source: '/[^\\0-\\xff]/.test(text) ? 2 * text.length : text.length',
    mutation: '2 → 3',
    why: 'An estimate of memory, by which fewer texts are held; others are read page by page, with the same answer.',
  },
  {
    file: 'worker/notify/sign.ts',
    source:
      "export const newMessage = (): string => `msg_${randomBytes(18).toString('base64url')}`",
    mutation: '18 → 19',
    why: 'An id of more random bytes is as good to every receiver.',
  },
  {
    file: 'worker/insight/fragments.ts',
    source: 'if (known?.now === now && known.silentAfter === silentAfter) return known.columns',
    mutation:
      'dropped: if (known?.now === now && known.silentAfter === silentAfter) return known.columns',
    why: 'The same columns are made again; it only saves work.',
  },
  {
    file: 'worker/insight/fragments.ts',
    source: 'LIFE_COLUMNS.set(rowPolicy, { now, silentAfter, columns })',
    mutation: 'dropped: LIFE_COLUMNS.set(rowPolicy, { now, silentAfter, columns })',
    why: 'The same columns are made again; it only saves work.',
  },
  {
    file: 'worker/local/backup/log-loss.ts',
    source: "const NO_LOG: FoundLog = { salts: '', readable: 0, frames: 0 }",
    mutation: '0 → 1',
    why: 'Compared with what is known of no log, which has no frames either.',
  },
  {
    file: 'worker/http/body.ts',
    source: 'const usual = Math.min(most, Math.max(LITTLE, sent[0]!.length * USUAL_RATIO))',
    mutation: '* → /',
    why: 'For how many bytes room is made first; a body that takes more is unpacked again, with the same outcome.',
  },
  {
    file: 'worker/integrity/report-rules.ts',
    source: "if (typeof uuidStored(uuid) === 'string') return [uuid]",
    mutation: "dropped: if (typeof uuidStored(uuid) === 'string') return [uuid]",
    why: 'More spellings are tried of a text that has only one; it only saves work.',
  },
  {
    file: 'worker/store/history-places.ts',
    source: 'export const NEWEST: BackwardPlace = [1e9, 0, 0, 0]',
    mutation: '0 → 1',
    why: 'No day comes near the first number, which alone decides.',
  },
  {
    file: 'worker/postgres/regex/program.ts',
    source: 'return index < 0 ? conditions.push(condition) - 1 : index',
    mutation: '0 → 1',
    why: 'The first condition then has a number for each of its places, and both hold where it does.',
  },
  {
    file: 'worker/local/tokens-file.ts',
    source: 'watchFile(file, { interval: everyMs, persistent: false }, () => void changed())',
    mutation: 'false → true',
    why: 'The launcher ends by `process.exit`, whatever it watches.',
  },
  {
    file: 'worker/console/parts/node-map.ts',
    source: '{ upTo: 2000, pitch: 9, side: 7 },',
    mutation: '2000 → 2001',
    why: 'From how many nodes on cells are smaller is taste.',
  },
  {
    file: 'worker/store/lists.ts',
    source: 'if (bytes + size > LONGEST_LIST) close()',
    mutation: '> → >=',
    why: 'A list of exactly the longest value is then two lists, with the same rows.',
  },
  {
    file: 'worker/http/route-tree.ts',
    source: 'if (kept) return kept',
    mutation: 'dropped: if (kept) return kept',
    why: 'The same tree is built again; it only saves work.',
  },
  {
    file: 'worker/postgres/regex/program.ts',
    source: 'return differs < 0 ? first!.length : differs',
    mutation: '0 → 1',
    why: 'Branches of a group begin with the same part, so that the first one never differs.',
  },
  ...['folderMs', 'socketsMs', 'tlsFilesMs', 'patienceMs', 'heartbeatMs'].map((name) => ({
    file: 'worker/local/timings.ts',
    source: `${name}: 5000,`,
    mutation: '5000 → 5001',
    why: 'A look that comes, or a wait that ends a millisecond later is as good.',
  })),
  {
    file: 'worker/local/timings.ts',
    source: 'logMs: 500,',
    mutation: '500 → 501',
    why: 'A look that comes a millisecond later finds the same log.',
  },
  {
    file: 'worker/report/body-metrics.ts',
    source: "if (!name[0].includes('.')) labels.push(label)",
    mutation: 'dropped: labels.push(label)',
    why: 'Without labels, the same numbers are found by their names; they only save work.',
  },
  {
    file: 'worker/local/workers/service-object.ts',
    source: 'read += value.length',
    mutation: '+= → -=',
    why: 'A guard against refused bodies of 256 MiB, which the one of ten seconds ends, too.',
  },
  {
    file: 'worker/history/part-writer.ts',
    source: 'for (let from = 0; from < events.length; from += EVENTS_OF_GROUP)',
    mutation: '< → <=',
    why: 'To write no rows is to write no group.',
  },
  {
    file: 'worker/insight/hour-groups.ts',
    source: '(one.group.reason < other.group.reason ? -1 : 1),',
    mutation: '1 → 2',
    why: 'A sort reads the sign only.',
  },
  {
    file: 'worker/console/visit.ts',
    source: 'since > 0 && `producer_timestamp >= ${quoted(formatTimestamp(since))}`,',
    mutation: '0 → 1',
    why: 'No run was produced in the first millisecond of 1970.',
  },
  {
    file: 'worker/store/generation.ts',
    source: 'export const DELETE_MOST_GENERATIONS = deleteBefore(100)',
    mutation: '100 → 101',
    why: 'How many generations stay in a full database; any number is as good that leaves little.',
  },
  {
    file: 'worker/local/log-bound.ts',
    source: 'if (bytes <= SOUGHT_BYTES || signal.aborted) return',
    mutation: '<= → <',
    why: 'A log has 32 bytes and frames of 4120, and so never exactly 32 MiB.',
  },
  {
    file: 'worker/store/ended-sessions.ts',
    source: 'const FRESH_MS = 30_000',
    mutation: '30_000 → 30001',
    why: 'Another isolate may notice a sign-out a millisecond later.',
  },
  {
    file: 'worker/insight/data-version.ts',
    source: '.slice(0, 12),',
    mutation: '0 → 1',
    why: 'A digest of eleven characters tells versions apart as well.',
  },
  {
    file: 'worker/console/page.ts',
    source: 'time: time === null ? 0 : Date.parse(time),',
    mutation: '0 → 1',
    why: 'No run was produced in the first millisecond of 1970.',
  },
  {
    file: 'worker/local/workers/probe.ts',
    source: 'return new Response(String(error), { status: 500 })',
    mutation: '500 → 501',
    why: 'The launcher and the check of backups, which ask it, look whether the status is 200.',
  },
  {
    file: 'worker/console/routes.ts',
    source: 'allowsRestricted: true,',
    mutation: 'true → false',
    why: 'The guard looks at restrictions of principals only, and lets everyone pass here.',
  },
  {
    file: 'worker/insight/years/node-years.ts',
    source: 'return some.length > 0 ? some : before(files[0]?.until ?? 0)',
    mutation: '0 → 1',
    why: 'Without a file there is none to choose.',
  },
  {
    file: 'worker/answer/explain.ts',
    source: 'const PAGE = 100',
    mutation: '100 → 101',
    why: 'An explanation measures a first page, and which plan and how many rows it reads do not hang on its last row.',
  },
  {
    file: 'worker/housekeeping/close-hours.ts',
    source: 'for (let batch = 0; batch < MOST_BATCHES; batch++) {',
    mutation: 'batch++ → batch--',
    why: 'The bound is the work of one run, which the next one continues; hours that are closed end the loop before.',
  },
  {
    file: 'worker/local/timings.ts',
    source: 'lateMs: 5000,',
    mutation: '5000 → 5001',
    why: 'From when on the log tells of a late answer is documented nowhere; a millisecond helps nobody who reads it.',
  },
  {
    file: 'worker/http/in-flight.ts',
    source: 'if (Date.now() >= arrived + LONGEST_WAIT_MS) throw new Unavailable(BUSY)',
    mutation: '>= → >',
    why: 'It looks again after a pause, so that both ends of a millisecond wait for the same.',
  },
  {
    file: 'local-catcher/src/listener.ts',
    source: 'const PROBE = 60_000',
    mutation: '60_000 → 60001',
    why: 'TCP counts this in seconds.',
  },
]

const keyOf = ({ file, source, mutation }: Omit<Accepted, 'why'>): string =>
  JSON.stringify([file, source, mutation])

const keyOfMutant = (mutant: Mutant): string =>
  keyOf({ file: mutant.file, source: mutant.source, mutation: mutationText(mutant) })

const withoutRow = new Set(NUMBERS_WITHOUT_ROW)

/** Whether it makes a number greater whose sides need not be told apart, or compares with that number on its other side. */
function isWithoutRow({ file, kind, source, before, sides }: Mutant): boolean {
  const [, declared = ''] = /^(?:export )?const (\w+) = /.exec(source) ?? []
  const isOfOrder = /^[<>]=?$/.test(before)
  const names = kind === 'constant' ? [declared] : isOfOrder ? sides : []
  return names.some((name) => withoutRow.has(`${file.replace(/^worker\//, '')} ${name}`))
}

/** Separates what is accepted. Entries without a mutant are outdated. */
export function withoutAccepted(
  mutants: readonly Mutant[],
  accepted: readonly Accepted[] = ACCEPTED,
): { readonly mutants: readonly Mutant[]; readonly outdated: readonly Accepted[] } {
  const existing = new Set(mutants.map(keyOfMutant))
  const keys = new Set(accepted.map(keyOf))
  return {
    mutants: mutants.filter((mutant) => !keys.has(keyOfMutant(mutant)) && !isWithoutRow(mutant)),
    outdated: accepted.filter((one) => !existing.has(keyOf(one))),
  }
}
