/** A surface: where a fact is shown, how it is read there, and what it must be. */

import type { Question } from '../evaluator/fleet.ts'
import type { Documents } from '../documents.ts'

/** Values by what they are about; one fact alone is about nothing, `''`. */
export type Facts = Readonly<Record<string, unknown>>

export interface Surface {
  /** The word that is asserted. */
  readonly kind: string
  readonly on: string
  /** Whether the surface has this scope; all by default. */
  readonly is?: (documents: Documents, question: Question) => boolean
  readonly shown: (documents: Documents) => Promise<Facts>
  readonly truth: (question: Question, documents: Documents) => Facts | Promise<Facts>
}

export interface Checked {
  readonly kind: string
  readonly on: string
  /** What the fact is about. */
  readonly about: string
  readonly shown: unknown
  readonly truth: unknown
  readonly agrees: boolean
}

/** Reads a fact on a surface and compares it with the truth, one check for each thing that either speaks of. */
export async function check(
  surface: Surface,
  documents: Documents,
  question: Question,
): Promise<readonly Checked[]> {
  const { kind, on } = surface
  if (surface.is?.(documents, question) === false) return []
  const [shown, truth] = [await surface.shown(documents), await surface.truth(question, documents)]
  return [...new Set([...Object.keys(shown), ...Object.keys(truth)])].map((about) => ({
    kind,
    on,
    about,
    shown: shown[about],
    truth: truth[about],
    agrees: JSON.stringify(shown[about]) === JSON.stringify(truth[about]),
  }))
}

export const one = (value: unknown): Facts => ({ '': value })

export const timestamp = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString()

/** The number before these words in a text; null without. */
export function numberBefore(text: string, words: RegExp): number | null {
  const found = new RegExp(`([\\d,]+) ${words.source}`).exec(text)?.[1]
  return found === undefined ? null : Number(found.replaceAll(',', ''))
}

/** Whether the answer is about the whole store. */
export const isWhole = ({ reading }: Documents): boolean =>
  reading.reader === 'all' && reading.environment === null
