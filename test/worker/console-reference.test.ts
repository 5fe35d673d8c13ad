/** /console/reference: the lists of docs/reference.md, with a filter. */

import { describe, expect, it } from 'vitest'
import { referenceLists } from '../../tools/openapi/reference.ts'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'
import { page } from './page.ts'

const LISTS = referenceLists(EVERY_ROUTE)

describe('the reference', () => {
  it('has every entry of every list', async () => {
    const { html, status } = await page('/console/reference')
    expect(status).toBe(200)
    expect(LISTS.length).toBeGreaterThan(10)
    for (const { title, rows } of LISTS) {
      expect(html).toContain(`<h2>${title}</h2>`)
      for (const [name = ''] of rows)
        expect(html).toContain(
          `<code>${name.replaceAll('"', '&quot;').replaceAll("'", '&#39;')}</code>`,
        )
    }
  })

  it('shows what a filter finds, in names and sentences, in any case', async () => {
    const { html } = await page('/console/reference?q=report_ttl')
    expect([...html.matchAll(/<code>(REPORT_TTL\w*)<\/code>/g)].map(([, name]) => name)).toContain(
      'REPORT_TTL_RULES',
    )
    expect(html).not.toContain('MAX_ROWS')
    const { text } = await page('/console/reference?q=PROMETHEUS')
    expect(text).toContain('GET /metrics')
  })

  it('says so where nothing fits, and takes a filter for text', async () => {
    const { html, text } = await page(
      `/console/reference?q=${encodeURIComponent('<script>nothing')}`,
    )
    expect(text).toContain('No entry has this text.')
    expect(html).not.toContain('<script>nothing')
  })
})
