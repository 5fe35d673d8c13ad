/** One box for everything that has a name. */

import { searchStatements } from './search-sql.ts'
import type { BatchRead } from '../store/batch-read.ts'
import type { Search, SearchOptions } from './shapes.ts'
import { SEARCH_GROUPS } from './shapes-query.ts'
import type { View } from './view.ts'

/** Where all groups have hits, each gets its part of the limit, and what others leave. */
export function askSearch(view: View, { text, limit }: SearchOptions): BatchRead<Search> {
  const wanted = text.trim()
  if (wanted === '') return { statements: [], read: () => ({ text: wanted, hits: [] }) }
  return {
    statements: searchStatements(view, wanted, limit),
    read: (results) => {
      const groups = SEARCH_GROUPS.map((name) => results.flat().filter(([group]) => group === name))
      const turns = Array.from({ length: limit }, (_, turn) =>
        groups.flatMap((rows) => rows.slice(turn, turn + 1)),
      )
      const taken = turns.flat().slice(0, limit)
      const hits = taken.map(([group, id, label]) => ({
        group: group as (typeof SEARCH_GROUPS)[number],
        id: id as string,
        label: label as string,
        exact: [id, label].some((name) => String(name).toLowerCase() === wanted.toLowerCase()),
      }))
      const place = ({ group }: (typeof hits)[number]): number => SEARCH_GROUPS.indexOf(group)
      return { text: wanted, hits: hits.sort((one, other) => place(one) - place(other)) }
    },
  }
}
