/** Texts of nodes are shown as texts. */

import { describe, expect, it } from 'vitest'
import { store } from './client.ts'
import { HOUR, failed, newest, run } from './console-runs.ts'
import { readPage, visit } from './page.ts'

/** What a node may write into its reports. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  '</title><script>1</script>',
  '</textarea><b>bold</b>',
  '<!--',
  ']]>',
  '&lt;b&gt;',
  'javascript:alert(1)',
  '{{7*7}} ${7*7}',
  '\u202Eright to left',
]

describe('what a node writes is text', () => {
  it.each(HOSTILE)('%s', async (text) => {
    const certname = `evil ${text}`
    await store(
      run(certname, HOUR, {
        ...failed(text, text),
        environment: 'staging',
        configuration_version: text,
        puppet_version: text,
      }),
    )
    const hash = await newest(certname)
    for (const path of [
      '/console',
      `/console/nodes/${encodeURIComponent(certname)}`,
      `/console/reports/${hash}`,
      '/console/reports?state=failed',
      `/console/causes`,
      `/console/search?q=${encodeURIComponent(text)}`,
      `/console/query?q=${encodeURIComponent(`nodes { certname = ${JSON.stringify(certname)} }`)}`,
    ]) {
      const read = await readPage(await visit(path))
      const made = read.elements.filter(
        ({ name, attributes }) =>
          ['img', 'b-', 'iframe'].includes(name) ||
          (name === 'script' && attributes['src'] === undefined) ||
          Object.keys(attributes).some((attribute) => attribute.startsWith('on')) ||
          /^javascript:/i.test(attributes['href'] ?? ''),
      )
      expect(made, path).toEqual([])
      expect(
        read.elements.filter(({ name }) => name === 'body'),
        path,
      ).toHaveLength(read.status === 302 ? 0 : 1)
    }
  })
})
