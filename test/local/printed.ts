/** Commands as functions: what they print, as a test reads it. */

import { vi } from 'vitest'

/** Runs a command, and keeps what it prints by `console`. @param command gives its exit code */
export async function printedBy(command: () => Promise<number>) {
  const printed = { out: '', err: '' }
  const spies = [
    vi
      .spyOn(console, 'log')
      .mockImplementation((line: string) => void (printed.out += `${line}\n`)),
    vi
      .spyOn(console, 'error')
      .mockImplementation((line: string) => void (printed.err += `${line}\n`)),
  ]
  try {
    const code = await command()
    return { code, ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
