/** The difference of a file that an agent logged (`show_diff`): a unified diff, read into lines with their numbers. */

/** A piece of a line, and whether it is what changed in it. */
export type Piece = readonly [text: string, isChanged: boolean]

export interface DifferenceLine {
  readonly kind: 'same' | 'gone' | 'came'
  /** The number of the line in the file before and after; null where it is not in it. */
  readonly before: number | null
  readonly after: number | null
  readonly pieces: readonly Piece[]
}

export interface FileDifference {
  /** Runs of neighbouring lines. */
  readonly hunks: readonly (readonly DifferenceLine[])[]
  /** Lines that the agent logged, but that are not shown. */
  readonly left: number
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/
const KINDS: Readonly<Record<string, DifferenceLine['kind']>> = {
  ' ': 'same',
  '-': 'gone',
  '+': 'came',
}
/** A longer difference is cut: the log has all of it. */
const MOST_LINES = 200

/** @returns null for a message that is no difference, and for one whose text the agent or the service left out */
export function readDifference(message: string): FileDifference | null {
  const lines = message.split('\n')
  const start = lines.findIndex((line) => HUNK.test(line))
  if (start < 1 || !lines.slice(0, start).some((line) => line.startsWith('--- '))) return null
  const hunks: DifferenceLine[][] = []
  let [before, after, shown, left] = [0, 0, 0, 0]
  for (const line of lines.slice(start)) {
    const [, first, second] = HUNK.exec(line) ?? []
    const kind = KINDS[line[0] ?? '']
    if (second !== undefined) {
      ;[before, after] = [Number(first), Number(second)]
      hunks.push([])
    } else if (kind === undefined) continue
    else if (shown === MOST_LINES) left++
    else {
      shown++
      hunks.at(-1)!.push({
        kind,
        before: kind === 'came' ? null : before++,
        after: kind === 'gone' ? null : after++,
        pieces: [[line.slice(1), false]],
      })
    }
  }
  return { hunks: hunks.filter((hunk) => hunk.length > 0).map(marked), left }
}

/** Lines that went, beside as many that came in their place, have their changed words marked. */
function marked(hunk: readonly DifferenceLine[]): readonly DifferenceLine[] {
  const lines = [...hunk]
  for (let at = 0; at < lines.length;) {
    const gone = lengthOf(lines, at, 'gone')
    const came = lengthOf(lines, at + gone, 'came')
    if (gone === came)
      for (let n = 0; n < gone; n++) {
        const [one, other] = [lines[at + n]!, lines[at + gone + n]!]
        const [before, after] = changedPieces(one.pieces[0]![0], other.pieces[0]![0])
        lines[at + n] = { ...one, pieces: before }
        lines[at + gone + n] = { ...other, pieces: after }
      }
    at += Math.max(1, gone + came)
  }
  return lines
}

function lengthOf(
  lines: readonly DifferenceLine[],
  from: number,
  kind: DifferenceLine['kind'],
): number {
  let length = 0
  while (lines[from + length]?.kind === kind) length++
  return length
}

/** What lies between the words that two lines begin and end with. Lines without a common word are left whole. */
function changedPieces(one: string, other: string): readonly [readonly Piece[], readonly Piece[]] {
  const [before, after] = [wordsOf(one), wordsOf(other)]
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const piecesOf = (words: readonly string[]): readonly Piece[] => {
    const end = words.length - tail
    const parts: readonly Piece[] = [
      [words.slice(0, head).join(''), false],
      [words.slice(head, end).join(''), true],
      [words.slice(end).join(''), false],
    ]
    return parts.filter(([text]) => text !== '')
  }
  return head + tail === 0
    ? [[[one, false]], [[other, false]]]
    : [piecesOf(before), piecesOf(after)]
}

/** Words, and what stands between them. */
const wordsOf = (line: string): string[] => line.match(/\w+|\s+|[^\w\s]/g) ?? []
