/** What a new installation shows instead of its fleet: how to send reports to the address that the reader is at. */

import type { Visit } from '../visit.ts'
import { html, NONE, type Html } from '../html.ts'
import { reportUrl, serverSettings } from '../puppet-settings.ts'
import { card } from './list.ts'

/** Explains to the operator of a new installation how Puppet sends its reports here. */
export function welcome(visit: Visit): Html {
  const { url, reader } = visit
  const isClosed = reader.name !== null
  const takesCertificates = visit.settings.CLIENT_CERTIFICATES !== ''
  const where = isLoopback(url) ? 'the machine that runs this service' : 'any machine with Puppet'
  const server = isLoopback(url) ? 'a Puppet server on the same machine' : 'your Puppet server'
  return card(
    { name: 'No node has reported yet' },
    html`<p>Send a first report from ${where}:</p>
      <pre class="msg">${firstReport(url, isClosed)}</pre>
      ${isClosed ? credentials(takesCertificates) : NONE}
      <p>
        To send the report of every run, add these lines to the <code>puppet.conf</code> of
        ${server}, and reload it:
      </p>
      <pre class="msg">${serverSettings(url, tokenOf(isClosed))}</pre>
      ${
        // The terminus sends no token, and refuses an address without TLS.
        url.protocol === 'https:' && (!isClosed || takesCertificates) ? terminus(url) : NONE
      }${isLoopback(url) ? LOOPBACK_NOTE : NONE}`,
  )
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)

/** The token as the page names it, where requests need one. */
const tokenOf = (isClosed: boolean): string | null => (isClosed ? 'TOKEN' : null)

const firstReport = (url: URL, isClosed: boolean): string =>
  `puppet apply --report --reports http --reporturl ${reportUrl(url, tokenOf(isClosed))}${
    url.protocol === 'https:' ? ' --report_include_system_store' : ''
  } -e 'notify { "hello": }'`

const credentials = (takesCertificates: boolean): Html =>
  html`<p>
    <code>TOKEN</code> is a token with the scope <code>submit</code>:
    <code>npm run token -- --name puppet.example.com --scope submit</code> prints one, and how to
    store
    it.${
      takesCertificates
        ? html` A machine whose certificate has the scope <code>submit</code> in
            <code>CLIENT_CERTIFICATES</code> needs no token: leave out <code>any:TOKEN@</code>.`
        : NONE
    }
  </p>`

const terminus = ({ origin }: URL): Html =>
  html`<p>
      If this service has a certificate of Puppet's own authority, PuppetDB's terminus can send the
      reports instead. In <code>puppetdb.conf</code>:
    </p>
    <pre class="msg">${`[main]\nserver_urls = ${origin}`}</pre>
    <p>and in <code>puppet.conf</code>:</p>
    <pre class="msg">${'[server]\nreports = store,puppetdb'}</pre>`

const LOOPBACK_NOTE = html`<p>
  Other machines can't reach this address. <code>npm start -- --help</code> lists the options for
  another one.
</p>`
