/** Leads to the comparison of two runs: of two reports by their hashes, or of the latest runs of two nodes. */

import { nodePageRead } from '../../insight/nodes/node-page.ts'
import { NotFound, QueryError } from '../../lib/errors.ts'
import { readAll } from '../../store/batch-read.ts'
import { diffAddress } from '../address.ts'
import type { Page } from '../page.ts'
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

const redirect = (from: string, to: string): Page => ({
  title: 'Compare',
  body: '',
  redirect: diffAddress(from, to),
})
