/** What the service says of the sample fleet while it arrives. */

import { expect, it } from 'vitest'
import { loadSample } from '../../worker/local/sample.ts'
import { startLocalService } from './local-service.ts'

/** The one that the story of the sample has silent. */
const SILENT = 1

it('has as many silent nodes while it arrives as afterwards', async () => {
  const service = await startLocalService()
  const silentNow = async (): Promise<number> => {
    const answer = await fetch(`${service.url}/insight/v1/fleet`)
    return (await answer.json<{ silent: number }>()).silent
  }
  try {
    const seen: number[] = []
    let isLoaded = false
    const looking = (async () => {
      while (!isLoaded) seen.push(await silentNow())
    })()
    await loadSample(service.url)
    isLoaded = true
    await looking
    expect(await silentNow()).toBe(SILENT)
    expect(seen.length).toBeGreaterThan(3)
    expect(Math.max(...seen)).toBe(SILENT)
  } finally {
    await service.stop()
  }
})
