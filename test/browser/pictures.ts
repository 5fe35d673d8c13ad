/** `npm run pictures`: takes the README's pictures of the console, of the sample fleet. */

import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSample } from '../../worker/local/sample.ts'
import { startService } from '../../worker/local/service.ts'
import { MISSING, openBrowser } from './chromium.ts'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const folder = join(root, 'worker/console/pictures')

const browser = await openBrowser()
if (browser === null) throw new Error(MISSING)
const service = await startService({
  root,
  host: '127.0.0.1',
  port: 0,
  data: null,
  settings: { ACCESS: 'open' },
})
try {
  await loadSample(service.url)
  await mkdir(folder, { recursive: true })
  const page = await browser.newPage({ viewport: { width: 1200, height: 760 } })
  const rows = await (
    await fetch(`${service.url}/console/reports.json?state=failed`)
  ).json<
    {
      hash: string
    }[]
  >()
  for (const [name, path] of [
    ['fleet', '/console'],
    ['report', `/console/reports/${rows[0]!.hash}`],
  ] as const) {
    await page.goto(service.url + path)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    console.log(`worker/console/pictures/${name}.png`)
  }
} finally {
  await browser.close()
  await service.stop()
}
