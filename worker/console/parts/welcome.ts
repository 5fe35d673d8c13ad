/** What a new installation shows instead of its fleet. */

import type { Visit } from '../visit.ts'
import { html, type Html } from '../html.ts'

/** Tells the operator of a new installation how to make agents report here. */
export const welcome = ({ url }: Visit): Html =>
  html`<div class="note">
    <p>
      No node has reported yet. Two lines in <code>puppetdb.conf</code> of a puppetserver make its
      agents report here:
    </p>
    <pre>${`[main]\nserver_urls = ${url.origin}`}</pre>
  </div>`
