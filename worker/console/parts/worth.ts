/** Worth a look: a line a kind of what fails nothing, with its evidence; the most telling numbers of it in words. */

import type { WorthALook, WorthLine } from '../../insight/worth/worth-a-look.ts'
import {
  address,
  causeAddress,
  chosenOf,
  nodeAddress,
  OF_NODES,
  queryAddress,
  quoted,
} from '../address.ts'
import { age, capital, counted, duration, number } from '../format.ts'
import { each, html, NONE, type Content, type Html } from '../html.ts'
import { lineIcon } from '../svg/icons.ts'
import type { Visit } from '../visit.ts'
import { card } from './list.ts'
import { icon } from './mark.ts'
import { moment } from './time.ts'

type Kind = WorthLine['kind']
type Line<Name extends Kind> = Extract<WorthLine, { readonly kind: Name }>

interface Shown {
  readonly href: string
  /** What it is about, and what is said of it. */
  readonly subject: string
  readonly evidence: Content
}

interface Look<Name extends Kind> {
  readonly icon: Html
  /** What further lines of the kind are: `2 more groups`. */
  readonly others: string
  readonly shown: (line: Line<Name>, visit: Visit) => Shown
}

const changesOf = ({ url }: Visit, kind: string, resource: string | null = null): string =>
  address('/console/changes', { ...chosenOf(url, OF_NODES), kind, resource, since: '7d' })

const LOOKS: { readonly [Name in Kind]: Look<Name> } = {
  drift: {
    icon: html`<span class="drift">${icon('diamond')}</span>`,
    others: 'resource',
    shown: ({ resource, times, nodes, first_seen }, visit) => ({
      href: changesOf(visit, 'corrective', resource),
      subject: resource,
      evidence: html`is corrected again and again: ${number(times)} times in 7 days,
      ${number(Math.round(times / nodes))} for each
      node${first_seen === null ? '' : html`; first seen ${moment(first_seen, visit.now)}`}`,
    }),
  },
  pending: {
    icon: html`<span class="changed">${icon('disc', true)}</span>`,
    others: '',
    shown: ({ changes, group, certname, since }, visit) => ({
      href: changesOf(visit, 'noop'),
      subject: counted(changes, 'change'),
      evidence: html`${changes === 1 ? 'has' : 'have'} been pending for more than a
        day${group === null ? '' : html` on <b>${group}</b>`}; on
        <a href="${nodeAddress(certname)}">${certname}</a> since ${moment(since, visit.now)}`,
    }),
  },
  slow: {
    icon: lineIcon('slow'),
    others: 'group',
    shown: ({ group, seconds, before }, { url }) => ({
      href: address('/console/trends', chosenOf(url, OF_NODES)),
      subject: group,
      evidence: html`takes <b>${duration(seconds)}</b> a run, ${duration(before)} a week ago`,
    }),
  },
  'comes-and-goes': {
    icon: lineIcon('comes'),
    others: 'node',
    shown: ({ cause, reason, certname, times }) => ({
      href: cause === null ? nodeAddress(certname) : causeAddress(cause),
      subject: reason ?? 'A failure',
      evidence: html`came and went ${number(times)} times in 24 hours on
        <a href="${nodeAddress(certname)}">${certname}</a>`,
    }),
  },
  noisy: {
    icon: lineIcon('noisy'),
    others: 'node',
    shown: ({ certname, interval, usual }) => ({
      href: nodeAddress(certname),
      subject: certname,
      evidence: `reports every ${age(interval * 1000)}, its group every ${age(usual * 1000)}`,
    }),
  },
  clock: {
    icon: lineIcon('clock'),
    others: 'node',
    shown: ({ certname, off }) => ({
      href: nodeAddress(certname),
      subject: certname,
      evidence: `has a clock ${age(Math.abs(off) * 1000)} ${off > 0 ? 'ahead' : 'behind'}`,
    }),
  },
  agents: {
    icon: lineIcon('old'),
    others: 'version',
    shown: ({ version, usual }) => ({
      href: queryAddress(
        `nodes[certname, report_timestamp] { certname in reports[certname] { puppet_version = ${quoted(version)} and latest_report? = true } }`,
      ),
      subject: `Agent ${version}`,
      evidence: `is two major versions or more older than ${usual}, which most nodes run`,
    }),
  },
}

export function worthPart(visit: Visit, { items }: WorthALook): Html {
  if (items.length === 0) return NONE
  return card(
    { name: 'Worth a look', note: 'nothing fails by it', id: 'worth' },
    html`<ul class="worth">
      ${each(items, (line) => row(line, visit))}
    </ul>`,
  )
}

function row<Name extends Kind>(line: Line<Name>, visit: Visit): Html {
  const look = LOOKS[line.kind]
  const { href, subject, evidence } = look.shown(line, visit)
  return html`<li>
    ${look.icon}
    <p>
      <a href="${href}" title="${subject}">${clipped(subject)}</a>
      ${evidence}${line.more === 0 || look.others === '' ? '' : html`; <span class="muted">${counted(line.more, `more ${look.others}`)}</span>`}
    </p>
    <span class="n">${counted(line.nodes, 'node')}</span>
  </li>`
}

const LONGEST_SUBJECT = 90

const clipped = (text: string): string =>
  text.length > LONGEST_SUBJECT ? `${capital(text.slice(0, LONGEST_SUBJECT))}…` : text
