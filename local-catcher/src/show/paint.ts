/** The colours of one terminal; every entry is empty where there is no colour. */
export interface Paint {
  readonly bold: string
  readonly dim: string
  readonly key: string
  readonly string: string
  readonly number: string
  readonly word: string
  readonly good: string
  readonly bad: string
  readonly reset: string
}

const CODES: Record<keyof Paint, number> = {
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

const paintWith = (code: (number: number) => string) =>
  Object.fromEntries(
    Object.entries(CODES).map(([name, number]) => [name, code(number)]),
  ) as unknown as Paint

export const colour = paintWith((number) => `\x1b[${number}m`)
export const plain = paintWith(() => '')
