/** `npm run test:browser [-- PART …]`: the console in a real browser, all of it or some parts. */

import type { Browser } from 'playwright-core'
import { loadSample } from '../../worker/local/sample.ts'
import { startService } from '../../worker/local/service.ts'
import { MISSING, openBrowser } from './chromium.ts'
import { hostile } from './hostile.ts'
import { FIRST_REPORT, LIVE, runLive } from './live.ts'
import { longTexts } from './long-texts.ts'
import { looks } from './looks.ts'
import { root, type Say } from './pages.ts'
import { saves, scripts } from './scripts.ts'
import { localTimes, spans } from './spans.ts'
import { storyTasks } from './story-tasks.ts'
import { tasks } from './tasks.ts'

interface Part {
  readonly name: string
  /** Parts of the sample fleet share a service; the others start with an empty database each. */
  readonly fleet: 'sample' | 'none'
  readonly run: (browser: Browser, url: string, say: Say) => Promise<void>
}

/** In this order: the last ones on the sample fleet add reports to it. */
const PARTS: readonly Part[] = [
  { name: 'looks', fleet: 'sample', run: looks },
  { name: 'tasks', fleet: 'sample', run: tasks },
  { name: 'spans', fleet: 'sample', run: spans },
  { name: 'times', fleet: 'sample', run: localTimes },
  { name: 'scripts', fleet: 'sample', run: scripts },
  { name: 'saves', fleet: 'sample', run: saves },
  { name: 'live', fleet: 'sample', run: runLive(LIVE) },
  { name: 'hostile', fleet: 'sample', run: hostile },
  { name: 'first', fleet: 'none', run: runLive(FIRST_REPORT) },
  { name: 'long', fleet: 'none', run: longTexts },
  { name: 'story', fleet: 'none', run: storyTasks },
]

/** The most that the whole may take: a page that hangs ends it. */
const MOST_MINUTES = 20

let failures = 0
const say: Say = (name, wrong) => {
  if (wrong.length > 0) failures++
  console.log(`${wrong.length === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  for (const line of wrong.slice(0, 10)) console.log(`         ${line}`)
}

/** A service on an empty database. */
const started = () =>
  startService({ root, host: '127.0.0.1', port: 0, data: null, settings: { ACCESS: 'open' } })

/** What breaks in a part fails that part alone. */
async function runParts(browser: Browser, url: string, parts: readonly Part[]): Promise<void> {
  for (const { name, run } of parts) {
    const began = Date.now()
    await run(browser, url, say).catch((error: Error) => say(name, [error.message]))
    console.log(`       ${name}: ${Math.round((Date.now() - began) / 1000)} s`)
  }
}

async function runAll(browser: Browser, parts: readonly Part[]): Promise<void> {
  const ofSample = parts.filter(({ fleet }) => fleet === 'sample')
  const services = [
    ...(ofSample.length > 0 ? [ofSample] : []),
    ...parts.filter(({ fleet }) => fleet === 'none').map((part) => [part]),
  ]
  for (const some of services) {
    const service = await started()
    try {
      if (some === ofSample) await loadSample(service.url)
      await runParts(browser, service.url, some)
    } finally {
      await service.stop()
    }
  }
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => PARTS.every((part) => part.name !== name))
if (unknown.length > 0)
  throw new Error(
    `There is no part ${unknown.join(', ')}; the parts are ${PARTS.map(({ name }) => name).join(', ')}.`,
  )
const browser = await openBrowser()
if (browser === null) console.log(`not run: ${MISSING}`)
else {
  const deadline = setTimeout(() => {
    say(`took more than ${MOST_MINUTES} minutes`, ['stopped'])
    void browser.close()
  }, MOST_MINUTES * 60_000)
  try {
    await runAll(
      browser,
      PARTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name)),
    )
  } finally {
    clearTimeout(deadline)
    await browser.close()
  }
  if (failures > 0) process.exitCode = 1
}
