/** The templates of pages: what a value prints. */

import { expect, it } from 'vitest'
import { html, raw } from '../../worker/console/html.ts'

it.each<[string, unknown, string]>([
  ['a text', `<a href="x">'&`, '&lt;a href=&quot;x&quot;&gt;&#39;&amp;'],
  ['a piece', html`<b>${'<'}</b>`, '<b>&lt;</b>'],
  ['a text that is escaped already', raw('<hr>'), '<hr>'],
  ['zero', 0, '0'],
  ['an empty text', '', ''],
  ['undefined', undefined, ''],
  ['null', null, ''],
  ['true', true, ''],
  ['false', false, ''],
  ['a list', ['<', undefined, 1, [html`<i></i>`]], '&lt;1<i></i>'],
])('%s', (_, value, printed) => {
  expect(html`<p>${value}</p>`.toString()).toBe(`<p>${printed}</p>`)
})
