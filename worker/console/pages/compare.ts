/** Leads to the comparison of two runs, each named by its report, or by a part of the name of the node whose latest run it is. */

import { nodeRowsRead } from '../../insight/nodes/node-list.ts'
import type { NodeRow } from '../../insight/nodes/node-row.ts'
import type { View } from '../../insight/view.ts'
import { NotFound } from '../../lib/errors.ts'
import { ALL_STATES } from '../../schema/states.ts'
import { readAll, type BatchRead } from '../../store/batch-read.ts'
import { changed, diffAddress } from '../address.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { card, textField, title } from '../parts/list.ts'
import { wholeView, type Visit } from '../visit.ts'

/** A run that may be meant: of a node, or of a report that its hash names. */
type Candidate = Pick<NodeRow, 'certname' | 'report'>

const HASH = /^[0-9a-f]{40}$/
/** Nodes that are offered for a part of a name. */
const MOST_OFFERED = 20

export async function show(visit: Visit): Promise<Page> {
  const [earlier, later] = [textOf(visit, 'from', 'other'), textOf(visit, 'to', 'node')]
  if (earlier === '' || later === '') return choice(visit, NONE)
  const view = await wholeView(visit)
  const found = await readAll(visit.database, {
    earlier: candidatesRead(view, earlier),
    later: candidatesRead(view, later),
  })
  const [one, other] = [onlyOf(found.earlier, earlier), onlyOf(found.later, later)]
  return one?.report && other?.report
    ? { title: 'Compare', body: '', redirect: diffAddress(one.report, other.report) }
    : choice(
        visit,
        html`${one ? NONE : offers(visit, 'other', earlier, found.earlier)}${other ? NONE : offers(visit, 'node', later, found.later)}`,
      )
}

/** What the address says of a side: a report, else a node. */
const textOf = ({ url: { searchParams } }: Visit, report: string, node: string): string =>
  (searchParams.get(report) || searchParams.get(node) || '').trim()

const candidatesRead = (view: View, text: string): BatchRead<readonly Candidate[]> => {
  if (HASH.test(text)) return { statements: [], read: () => [{ certname: text, report: text }] }
  const { statements, read } = nodeRowsRead(view, {
    ...ALL_STATES,
    ...{ silent: null, search: text, sort: 'certname', cursor: null, limit: MOST_OFFERED, runs: 1 },
  })
  return { statements, read: (results) => read(results).items }
}

/**
 * The node that is meant: of that name, else the only one with it as a part.
 *
 * @throws NotFound where no name has it, or the node has no report
 */
function onlyOf(candidates: readonly Candidate[], text: string): Candidate | null {
  if (candidates.length === 0) throw new NotFound('node', `No node's name contains ${text}.`)
  const only =
    candidates.length === 1
      ? candidates[0]!
      : (candidates.find(({ certname }) => certname === text.toLowerCase()) ?? null)
  if (only !== null && only.report === null)
    throw new NotFound('node', `Node ${only.certname} has no stored report.`)
  return only
}

/** The nodes whose names have a text, to choose one. */
const offers = (
  { url }: Visit,
  field: 'other' | 'node',
  text: string,
  candidates: readonly Candidate[],
): Html =>
  card(
    {
      name: html`Nodes with “${text}”`,
      note: candidates.length < MOST_OFFERED ? '' : `the first ${MOST_OFFERED} by name`,
    },
    html`<ul class="bare list hits">
      ${each(
        candidates,
        ({ certname }) =>
          html`<li><a href="${changed(url, { [field]: certname })}">${certname}</a></li>`,
      )}
    </ul>`,
  )

/** @param found nodes to choose from, below the form */
const choice = (visit: Visit, found: Html): Page => ({
  title: 'Compare nodes',
  body: html`${title('Compare nodes', 'Compares the latest runs of two nodes. The page of a report compares it with any other.')}
    <section class="card">
      <header><h2>Latest runs</h2></header>
      <div class="in">
        <form class="asks" action="/console/compare">
          ${textField(visit, 'other', 'Node', 'part of a name')}${textField(visit, 'node', 'With node', 'part of a name')}<button>
            Compare
          </button>
        </form>
      </div>
    </section>
    ${found}`,
})
