// The colours of a terminal.
const CODES = {
  bold: 1,
  dim: 2,
  key: 36,
  string: 32,
  number: 33,
  word: 35,
  good: 32,
  bad: 31,
  reset: 0,
}

/** The colours of one terminal; every entry is empty where there is no colour. */
export type Paint = Readonly<Record<keyof typeof CODES, string>>

const paintWith = (code: (number: number) => string) =>
  Object.fromEntries(Object.entries(CODES).map(([name, number]) => [name, code(number)])) as Paint

const colour = paintWith((number) => `\x1b[${number}m`)
export const plain = paintWith(() => '')

/** The colours for the standard output of a process: on a terminal that has them, unless FORCE_COLOR says otherwise. */
export function paintFor({ env, stdout }: Pick<NodeJS.Process, 'env' | 'stdout'>): Paint {
  const { FORCE_COLOR: forced } = env
  const isTerminal = stdout.isTTY && stdout.hasColors?.()
  return (forced === undefined ? isTerminal : !/^(0|false)$/i.test(forced)) ? colour : plain
}
