// Keeps the lines of a body apart from the lines that this program prints around it.

// Every form of a line of ours that can stand beside a body.
const OURS = [
  String.raw`#\d+(?: [a-z]+)? {1,2}\d`,
  String.raw`answered \d{3} · `,
  'not answered: ',
  String.raw`signature (?:ok|failed|unattempted) \(`,
  'forward(?:ed|ing) to http',
  String.raw`replied \d{3} `,
  'trailer [^ :]+: ',
  String.raw`not valid JSON: line \d`,
  String.raw`(?:aborted|incomplete) after \d`,
  'the bytes are not HTTP',
  'the body is ',
  'not recorded: ',
  String.raw`… [\d.]+ [kMG]?B more`,
  'altered for the terminal: ',
  String.raw`\(no body\)$`,
  String.raw`\(byte order mark`,
  String.raw`\([^()]+, (?:not decoded: |[\d.]+ [kMG]?B → )`,
]
const LINES = new RegExp(`^(?=${OURS.join('|')})`, 'gm')

/** Text whose lines cannot pass for ours, since those that could have a space before them. */
export const guardLines = (text: string, lines = LINES): string => text.replace(lines, ' ')
