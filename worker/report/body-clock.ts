/** Packs the times of log lines: each as the time since the line before. */

import type { Json } from '../lib/json.ts'
import { escaped } from './body-text.ts'
import { isRecord } from '../lib/lossless.ts'

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

/**
 * Packs times as the time since the line before, in units of the last decimal. The head is `<decimals><zone> <start>`;
 * start is the clock time of the first line as seconds since 1970. A time in any other form, or one that unpacking would
 * not restore exactly, stays text after an `@`.
 */
export class Clock {
  private readonly unitsPerSecond: number
  private units = 0
  private face = ''
  private faceSecond = NaN

  private constructor(
    private readonly decimals: number,
    private readonly zone: string,
    private readonly start: number,
    private second = start,
  ) {
    this.unitsPerSecond = 10 ** decimals
  }

  /** A clock in the form of the first log time that has the usual form. */
  static startingWith(logs: readonly Json[]): Clock {
    for (const log of logs) {
      const time = isRecord(log) ? log['time'] : null
      const parts = typeof time === 'string' ? TIME.exec(time) : null
      const second = Date.parse(`${parts?.[1] ?? ''}Z`) / 1000
      if (parts !== null && !Number.isNaN(second)) {
        return new Clock(parts[2]?.length ?? 0, parts[3] ?? '', second)
      }
    }
    return new Clock(0, '', NaN)
  }

  /** The head that describes this clock. */
  static of(head: string): Clock {
    const blank = head.indexOf(' ')
    return new Clock(Number(head.charAt(0)), head.slice(1, blank), Number(head.slice(blank + 1)))
  }

  head(): string {
    return Number.isNaN(this.start) ? '' : `${this.decimals}${this.zone} ${this.start}`
  }

  /** Packs the time of the next line. */
  pack(time: string): string {
    const parts = TIME.exec(time)
    if (parts !== null && parts[3] === this.zone && (parts[2]?.length ?? 0) === this.decimals) {
      const second = Date.parse(`${parts[1] ?? ''}Z`) / 1000
      const units = Number(parts[2] ?? 0)
      const passed = (second - this.second) * this.unitsPerSecond + units - this.units
      if (this.faceOf(second) === parts[1] && Number.isSafeInteger(passed)) {
        this.second = second
        this.units = units
        return String(passed)
      }
    }
    return `@${escaped(time)}`
  }

  /** Unpacks the time of the next line into JSON text without quotes; call it in the order of the lines. */
  unpack(text: string): string {
    if (text.startsWith('@')) return text.slice(1)
    const units = this.units + Number(text)
    const seconds = Math.floor(units / this.unitsPerSecond)
    this.second += seconds
    this.units = units - seconds * this.unitsPerSecond
    const face = this.faceOf(this.second)
    return this.decimals === 0
      ? `${face}${this.zone}`
      : `${face}.${String(this.units).padStart(this.decimals, '0')}${this.zone}`
  }

  /** `2026-03-02T00:00:00` */
  private faceOf(second: number): string {
    if (second !== this.faceSecond) {
      const date = new Date(second * 1000)
      this.face = Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 19)
      this.faceSecond = second
    }
    return this.face
  }
}
