/** What a new installation shows instead of its fleet. */

import type { Visit } from '../visit.ts'
import { html, type Html } from '../html.ts'
import { card } from './list.ts'

/** Tells the operator of a new installation how to make agents report here. */
export const welcome = ({ url }: Visit): Html =>
  card(
    { name: 'No node has reported yet' },
    html`<p>
        Put these two lines into the <code>puppetdb.conf</code> of your Puppet server and restart
        it. The nodes appear here after their next run.
      </p>
      <pre class="msg">${`[main]\nserver_urls = ${url.origin}`}</pre>`,
  )
