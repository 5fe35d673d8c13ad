/** What a new installation shows instead of its fleet: how to send reports to the address that the reader is at. */

import { commandText } from '../../lib/command-text.ts'
import type { Fleet } from '../../insight/fleet.ts'
import { SAMPLE_CERTNAMES } from '../../schema/sample-fleet.ts'
import { answerOf, isScoped, type Visit } from '../visit.ts'
import { html, NONE, type Html } from '../html.ts'
import { certificateSettings, reportUrl, serverSettings } from '../puppet-settings.ts'
import type { FoundFleet } from './found-fleet.ts'
import { card } from './list.ts'

/** Whether no node has ever reported. Unknown under filters and restrictions, which may hide nodes. */
export const isNew = (visit: Visit, fleet: Fleet | null): boolean =>
  fleet?.nodes === 0 &&
  fleet.never_reported === 0 &&
  visit.reader.restrictions === null &&
  !isScoped(visit)

/** How Puppet sends its reports here, on a new installation; empty once a real node has reported. */
export function newcomers(visit: Visit, { map }: FoundFleet): Html {
  const found = answerOf(map)
  if (found === null || isScoped(visit)) return NONE
  if (isNew(visit, found.fleet)) return welcome(visit)
  const names = found.map.groups.flatMap(({ cells }) => cells.map(({ certname }) => certname))
  const isSample = names.length > 0 && names.every((name) => SAMPLE_CERTNAMES.includes(name))
  return isSample ? sampleNote(visit) : NONE
}

/** The page's script looks for the first report. */
const welcome = (visit: Visit): Html =>
  html`<div data-waiting>
    ${card({ name: 'Waiting for the first report', note: 'This page changes when it arrives.' }, puppetLines(visit))}
  </div>`

/** The same below the sample fleet, which goes with the first report. */
const sampleNote = (visit: Visit): Html =>
  html`<section class="card">
    <header>
      <h2>Sample fleet</h2>
      <span class="muted">These nodes aren't real. The first real report removes them.</span>
    </header>
    <details>
      <summary>Send a report from Puppet</summary>
      ${puppetLines(visit)}
    </details>
  </section>`

/** Lines for the address that the reader is at: first one report, then those of every run. */
function puppetLines({ url, reader, settings }: Visit): Html {
  const isClosed = reader.name !== null
  const isSecure = url.protocol === 'https:'
  const token = isClosed ? 'TOKEN' : null
  const withCertificates = isClosed && isSecure && settings.CLIENT_CERTIFICATES !== ''
  const where = isLoopback(url) ? 'the machine that runs this service' : 'any machine with Puppet'
  const server = isLoopback(url) ? 'a Puppet server on the same machine' : 'your Puppet server'
  return html`<p>Send a first report from ${where}:</p>
    <pre class="msg">${firstReport(url, token, withCertificates)}</pre>
    ${withCertificates || !isClosed ? NONE : TOKEN_NOTE}
    <p>
      To send the report of every run, add these lines to the <code>puppet.conf</code> of ${server},
      and reload it:
    </p>
    <pre class="msg">
${withCertificates ? certificateSettings(url) : serverSettings(url, token)}</pre>
    ${
      withCertificates
        ? html`${CERTIFICATE_NOTE}
            <pre class="msg">${serverSettings(url, token)}</pre>
            ${TOKEN_NOTE}`
        : NONE
    }${
      // The terminus sends no token, and refuses an address without TLS.
      isSecure && (!isClosed || withCertificates) ? terminus(url) : NONE
    }${isLoopback(url) ? LOOPBACK_NOTE : NONE}`
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)

/** A machine that presents its certificate trusts Puppet's own authority; another one needs the public ones. */
const firstReport = (url: URL, token: string | null, withCertificates: boolean): string =>
  `puppet apply --report --reports http --reporturl ${reportUrl(url, withCertificates ? null : token)}${
    url.protocol === 'https:' && !withCertificates ? ' --report_include_system_store' : ''
  } -e 'notify { "hello": }'`

const CERTIFICATE_NOTE = html`<p>
  Puppet presents its certificate, whose name <code>CLIENT_CERTIFICATES</code> gives the scope
  <code>submit</code>. With a token instead, and a certificate of this service from a public
  authority:
</p>`

const TOKEN_NOTE = html`<p>
  <code>TOKEN</code> is a token with the scope <code>submit</code>:
  <code>${commandText('token', '--name puppet.example.com --scope submit')}</code> prints one, and
  how to store it.
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
  Other machines can't reach this address. <code>${commandText('start', '--help')}</code> lists the
  options for another one.
</p>`
