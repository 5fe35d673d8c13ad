/** How PostgreSQL's `to_char(integer, mask)` lays out a number (formatting.c, NUM_processor). */
import type { NumberMask, Sign } from './number.ts'

/** A piece of a printed number: text, or the index of the digit in its place. */
export type Cell = string | number

/** PostgreSQL prints digits up to the terminating zero byte where no digit follows the point; the rest is lost. */
const END = '\0'

/** The properties of a number that its layout depends on. */
export type Shape = {
  readonly isNegative: boolean
  /** Zero has one digit. */
  readonly isZero: boolean
  readonly digits: number
}

/** The printed number with placeholders for its digits. */
export function layout(mask: NumberMask, shape: Shape): readonly Cell[] {
  const cells = new Layout(mask, shape).cells()
  const end = cells.indexOf(END)
  return end < 0 ? cells : cells.slice(0, end)
}

class Layout {
  private readonly written: Cell[] = []
  private readonly number: readonly Cell[]
  private readonly spaces: number
  private readonly brackets: boolean
  private readonly lastRelevant: number | undefined
  private readonly count: number
  private signWritten: boolean
  private inNumber = false
  private printed = 0
  private position = 0

  constructor(
    private readonly mask: NumberMask,
    private readonly shape: Shape,
  ) {
    const overflows = shape.digits > mask.before
    const digits = Array.from({ length: shape.digits }, (_, index) => index)
    this.number = overflows
      ? [...filled('#', mask.before), '.', ...filled('#', mask.after)]
      : mask.after > 0
        ? [...digits, '.', ...filled('0', mask.after)]
        : digits
    this.spaces = overflows ? 0 : mask.before - shape.digits
    const separateSign = mask.plus || mask.minus
    this.brackets = mask.brackets && (shape.isNegative || !mask.isTight || separateSign)
    this.lastRelevant = this.findLastRelevant()
    this.signWritten = this.needsNoSign()
    const signless = !this.signWritten && this.spaces === 0
    this.count = mask.before + mask.after - 1 + (signless ? 1 : 0)
  }

  cells(): readonly Cell[] {
    for (const element of this.mask.elements) {
      if (element.kind === 'text') this.written.push(element.text)
      else this.write(element.sign)
    }
    return this.written
  }

  private needsNoSign(): boolean {
    const { plus, minus, isTight, anchored } = this.mask
    if (plus || minus) return minus
    return !this.shape.isNegative && isTight && anchored === undefined
  }

  /** FM drops the zeros after the last digit that counts, but none that the mask asks for with a 0. */
  private findLastRelevant(): number | undefined {
    const point = this.number.indexOf('.')
    if (!this.mask.isTight || !this.mask.isDecimal || point < 0) return undefined
    const relevant = this.number.findLastIndex((cell, index) => index <= point || cell !== '0')
    if (this.mask.zeroEnd <= this.spaces) return relevant
    return Math.max(relevant, Math.min(this.number.length - 1, this.mask.zeroEnd - this.spaces))
  }

  private write(sign: Sign): void {
    const { isNegative } = this.shape
    switch (sign) {
      case '9':
      case '0':
      case '.':
        this.writeSign()
        this.writeDigit(sign)
        this.writeEnd()
        this.position += 1
        return
      case ',':
        if (this.inNumber) this.written.push(',')
        else this.blank()
        return
      case 'MI':
        if (isNegative) this.written.push('-')
        else this.blank()
        return
      case 'PL':
        if (isNegative) this.blank()
        else this.written.push('+')
        return
      case 'SG':
        this.written.push(isNegative ? '-' : '+')
        return
      case 'FM':
      case 'PR':
      case 'S':
    }
  }

  private blank(): void {
    if (!this.mask.isTight) this.written.push(' ')
  }

  private get endsAtPoint(): boolean {
    return this.lastRelevant !== undefined && this.number[this.lastRelevant] === '.'
  }

  /** The zero of 0.5 where the mask has a 9 before the point. */
  private get isSilentZero(): boolean {
    const { zeroStart, after } = this.mask
    return (
      zeroStart === undefined &&
      this.printed === 0 &&
      this.shape.isZero &&
      after > 0 &&
      typeof this.number[0] === 'number'
    )
  }

  private writeSign(): void {
    if (this.signWritten) return
    if (this.position < this.spaces && this.mask.zeroStart !== this.position) return
    if (this.isSilentZero && !this.endsAtPoint) return
    const { isNegative } = this.shape
    if (this.mask.anchored !== undefined) {
      if (this.mask.anchored === 'after') return
      this.written.push(isNegative ? '-' : '+')
    } else if (this.brackets) this.written.push(isNegative ? '<' : ' ')
    else if (isNegative) this.written.push('-')
    else this.blank()
    this.signWritten = true
  }

  private writeDigit(sign: Sign): void {
    const isZeroed = this.mask.zeroStart !== undefined && this.mask.zeroStart <= this.position
    this.inNumber = false
    if (this.position < this.spaces) {
      if (!isZeroed) return this.blank()
      this.written.push('0')
      this.inNumber = true
      return
    }
    const cell = this.number[this.printed]
    if (cell === '.') this.written.push('.')
    else if (sign === '0' || this.printed <= (this.lastRelevant ?? Infinity)) this.writeCell(cell)
    if (cell !== undefined) this.printed += 1
  }

  private writeCell(cell: Cell | undefined): void {
    if (!this.isSilentZero) {
      this.written.push(cell ?? END)
      this.inNumber = true
    } else if (this.endsAtPoint) this.written.push('0')
    else this.blank()
  }

  private writeEnd(): void {
    const end =
      this.lastRelevant !== undefined && this.lastRelevant === this.printed
        ? this.position
        : this.count + (this.spaces > 0 ? 1 : 0) + (this.mask.isDecimal ? 1 : 0)
    if (this.position + 1 !== end) return
    if (this.signWritten && this.brackets) this.written.push(this.shape.isNegative ? '>' : ' ')
    else if (this.mask.anchored === 'after') this.written.push(this.shape.isNegative ? '-' : '+')
  }
}

const filled = (cell: string, length: number): readonly Cell[] => Array.from({ length }, () => cell)
