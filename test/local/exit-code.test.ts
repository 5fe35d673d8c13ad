/** How a command on the database's files ends: what its users can mend is a sentence, a mistake of ours is thrown. */

import { afterEach, expect, it, vi } from 'vitest'
import { exitCodeOf } from '../../tools/backup/exit-code.ts'
import { StartError } from '../../worker/local/command-line.ts'

afterEach(() => void vi.restoreAllMocks())

const failing = (error: Error) => exitCodeOf(() => Promise.reject(error))

it('a command that succeeds ends with 0, and says nothing', async () => {
  const said = vi.spyOn(console, 'error')
  expect(await exitCodeOf(() => Promise.resolve())).toBe(0)
  expect(said).not.toHaveBeenCalled()
})

it.each([
  [new StartError('No such folder.', 4), 4, 'No such folder.'],
  [
    Object.assign(new Error('EACCES: x'), { code: 'EACCES', path: '/data/x' }),
    1,
    'This user may not read or write /data/x.',
  ],
])('%s', async (error, code, sentence) => {
  const said = vi.spyOn(console, 'error').mockReturnValue()
  expect(await failing(error)).toBe(code)
  expect(said.mock.calls).toEqual([[sentence]])
})

it('a mistake of ours has its trace', async () => {
  const mistake = new TypeError('x is not a function')
  await expect(failing(mistake)).rejects.toBe(mistake)
})
