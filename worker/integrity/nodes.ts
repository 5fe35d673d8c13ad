/** Checks the rows of nodes against their reports. */

import type { Database } from '../store/database.ts'
import type { CheckedPage, Subject } from './checked-page.ts'
import { NODE_PAGE, nodesAfter } from './node-rows.ts'
import { RULES_OF_NODE } from './node-rules.ts'

export async function checkNodes(database: Database, after: number): Promise<CheckedPage> {
  const [nodes] = await database.batch([nodesAfter(after)])
  const problems = nodes.flatMap((node) =>
    RULES_OF_NODE.flatMap(({ invariant, broken }) => {
      const how = broken(node)
      if (how === null) return []
      const mends: Subject = { kind: 'node', id: node.id }
      return [{ invariant, where: `node ${node.certname} (${node.id})${how}`, mends }]
    }),
  )
  return {
    checked: nodes.length,
    problems,
    next: nodes.length < NODE_PAGE ? null : nodes.at(-1)!.id,
  }
}
