/** Leads to the comparison of two runs: of two reports by their hashes, or of the latest runs of two nodes. */

import { nodePageRead } from '../../insight/nodes/node-page.ts'
import { NotFound, QueryError } from '../../lib/errors.ts'
import { readAll } from '../../store/batch-read.ts'
import { diffAddress } from '../address.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { textField, title } from '../parts/list.ts'
import { wholeView, type Visit } from '../visit.ts'

export async function show(visit: Visit): Promise<Page> {
  const parameter = (name: string): string => (visit.url.searchParams.get(name) ?? '').trim()
  const [from, to, other, node] = ['from', 'to', 'other', 'node'].map(parameter) as [
    string,
    string,
    string,
    string,
  ]
  if (from !== '' && to !== '') return redirect(from, to)
  if ([from, to, other, node].every((one) => one === '')) return choice(visit)
  if (other === '' || node === '')
    throw new QueryError(
      'A comparison takes two reports (from, to) or two nodes (other, node) by their full names.',
    )
  const view = await wholeView(visit)
  const found = await readAll(visit.database, {
    earlier: nodePageRead(view, other, { runs: 1 }),
    later: nodePageRead(view, node, { runs: 1 }),
  })
  const [earlier, later] = [found.earlier.report, found.later.report]
  if (earlier === null || later === null)
    throw new NotFound('node', `Node ${earlier === null ? other : node} has no stored report.`)
  return redirect(earlier, later)
}

/** Without any name: asks for two nodes. */
const choice = (visit: Visit): Page => ({
  title: 'Compare nodes',
  body: html`${title('Compare nodes', 'Compares the latest runs of two nodes. The page of a report compares it with any other.')}
    <section class="card">
      <header><h2>Latest runs</h2></header>
      <div class="in">
        <form class="asks" action="/console/compare">
          ${textField(visit, 'other', 'Node', 'full name')}${textField(visit, 'node', 'With node', 'full name')}<button>
            Compare
          </button>
        </form>
      </div>
    </section>`,
})

const redirect = (from: string, to: string): Page => ({
  title: 'Compare',
  body: '',
  redirect: diffAddress(from, to),
})
