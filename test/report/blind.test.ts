/**
 * How well causes are named: messages that were judged before the rules ran on them, so that rules are tuned by classes. A
 * message is right if its label has the words of its cause, and its name is that of its cause's first message and of no other
 * cause. `wrong.txt` lists the others: `npx vitest run --project pure test/report/blind.test.ts -u`.
 */

import { expect, it } from 'vitest'
import first from './blind/first.txt?raw'
import second from './blind/second.txt?raw'
import { readSet } from './blind/read-set.ts'
import { causeOf, type CauseTable } from './causes/table.ts'

const SETS = { first: readSet(first), second: readSet(second) }

/** The share of messages that must be right: 180 of 188. */
const LEAST = 0.957

const messagesIn = (table: CauseTable): number => Object.values(table).flat().length

/** In words, the messages of a set that come out wrong. */
function wrongIn(table: CauseTable): string[] {
  const causes = Object.entries(table).map(([words, failures]) => ({
    words,
    found: failures.map(causeOf),
  }))
  return causes.flatMap(({ words, found }) => {
    const others = causes.filter((cause) => cause.words !== words).flatMap((cause) => cause.found)
    const taken = new Set(others.map(({ name }) => name))
    return found.flatMap(({ name, reason }) => {
      if (!found[0]!.reason.includes(words)) return [`${words}: called ${reason}`]
      if (name !== found[0]!.name) return [`${words}: apart, as ${reason}`]
      return taken.has(name) ? [`${words}: as one with another cause`] : []
    })
  })
}

it('names causes of messages that no rule was written for', async () => {
  const sets = Object.entries(SETS).map(([name, table]) => {
    const wrong = wrongIn(table)
    const messages = messagesIn(table)
    return { name, messages, wrong, right: messages - wrong.length }
  })
  const text = sets.map(
    ({ name, messages, right, wrong }) =>
      `${name}: ${right} of ${messages}\n${wrong.map((one) => `- ${one}\n`).join('')}`,
  )
  await expect(text.join('\n')).toMatchFileSnapshot('blind/wrong.txt')
  const sumOf = (what: 'messages' | 'right') => sets.reduce((sum, set) => sum + set[what], 0)
  expect(sumOf('messages')).toBeGreaterThanOrEqual(188)
  expect(sumOf('right') / sumOf('messages')).toBeGreaterThanOrEqual(LEAST)
})
