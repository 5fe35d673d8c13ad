/** A Chromium of this machine. None is ever downloaded. */

import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

export const MISSING = `no Chromium found (looked at the environment's CHROMIUM and at ${USUAL.slice(0, 3).join(', ')}, …)`

/** Null where there is none. @param words further ones of its command line */
export function openBrowser(words: readonly string[] = []): Promise<Browser> | null {
  const executablePath = process.env['CHROMIUM'] ?? USUAL.find((path) => existsSync(path))
  if (executablePath === undefined || !existsSync(executablePath)) return null
  // Containers give Chromium's sandbox no namespaces, and their /dev/shm is small.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...words],
  })
}
