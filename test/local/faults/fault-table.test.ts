/** Every fault has a case, every file of cases a fault, and the documentation has the table. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../local-service.ts'
import { FAULTS, faultPage } from './fault-table.ts'

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

it.each(FAULTS.map(({ fault, shown }) => [fault, ...shown] as const))(
  '%s: %s',
  (_, file, title) => {
    expect(textOf(join('test', file))).toContain(title)
  },
)

it('each file of cases shows a fault', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'))
  const shown = FAULTS.map(({ shown: [file] }) => file.split('/').at(-1))
  // Of what a stop leaves, and of the check of a backup, which several faults need.
  const others = ['fault-table.test.ts', 'stop.test.ts', 'verify.test.ts']
  expect(files.filter((name) => !shown.includes(name) && !others.includes(name))).toEqual([])
})

it('says for each fault what people see and what is kept', () => {
  for (const { seen, kept } of FAULTS) expect([seen, kept]).not.toContain('')
})

it('is printed in the documentation', async () => {
  await expect(faultPage()).toMatchFileSnapshot(join(ROOT, 'docs/reference/faults.md'))
})
