/** `GET /admin/v1/archive`: all reports as an archive that PuppetDB imports, and this service too. */

import { ask } from '../../answer/ask.ts'
import { METADATA_PATH, metadataText, reportPath } from '../../archive/format.ts'
import { gzip } from '../../archive/gzip.ts'
import { TAR_END, tarFile } from '../../archive/tar.ts'
import { wireReport } from '../../archive/wire.ts'
import { QueryError } from '../../lib/errors.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { both } from '../../plan/implicit.ts'
import { planQuestion } from '../../plan/build.ts'
import { comparison, WHOLE_ENTITY, type Filter } from '../../query/ast.ts'
import { parseJsonQuery, readQuery } from '../../query/json.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { requireAffordable } from '../query-budget.ts'
import { respond } from '../respond.ts'
import { tracedStream } from '../stream.ts'

/**
 * The export as a stream of gzipped tar, in the order of producer timestamps. As in PuppetDB's own,
 * reports of plans and of inactive nodes are among them, and nodes are not marked as deactivated.
 * Beyond PuppetDB, `query` takes a condition on reports, so that a large store can be exported in parts.
 */
export async function exportArchive(call: Call): Promise<Response> {
  const parameters = new URL(call.req.url).searchParams
  refuseAnonymization(parameters)
  // A replica may not have all reports yet, and a backup has to.
  const database = call.var.databases.primary()
  const plan = planQuestion({
    entity: 'reports',
    query: {
      ...WHOLE_ENTITY,
      filter: both(OF_ANY_TYPE, conditionOf(parameters.get('query') ?? '')),
    },
    legacyNames: true,
    // Restricted principals are not allowed on this route.
    rowPolicy: null,
  })
  const { settings } = call.var
  const rows = await ask(database, plan, { prefix: '/pdb', mostQueries: settings.MAX_QUERIES })
  await requireAffordable(database, plan, rows, settings, IN_PARTS)
  const { pages } = rows
  const now = Date.now()
  const name = `puppetdb-export-${formatTimestamp(now)}.tgz`
  return respond(tracedStream([], gzip(tarOf(pages, now)), call.var.trace), {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename=${name}`,
    ...costHeaders(call, database),
  })
}

const IN_PARTS =
  'Export in parts, such as query=["<","producer_timestamp","2026-03-01"], and import them one by one.'

/** Mentions the type, without which reports of plans would be left out. */
const OF_ANY_TYPE = comparison('type', 'any')

/** @throws QueryError for any anonymization but `none` */
function refuseAnonymization(parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    if (name.startsWith('anonymization') && value !== 'none') {
      throw new QueryError(
        `Exports are not anonymized here, so '${name}' can only be 'none', not '${value}'.`,
      )
    }
  }
}

function conditionOf(text: string): Filter | null {
  if (text.trim() === '') return null
  const query = readQuery(parseJsonQuery(text), 'standard')
  if (query.columns !== null || query.groupBy !== null) {
    throw new QueryError("An export takes a condition on reports, and no 'extract'.")
  }
  return query.filter
}

async function* tarOf(
  pages: AsyncIterable<readonly string[]>,
  now: number,
): AsyncGenerator<Uint8Array> {
  yield tarFile(METADATA_PATH, Buffer.from(metadataText(formatTimestamp(now))), now)
  for await (const page of pages) {
    for (const row of page) {
      const { certname, hash, text } = wireReport(row)
      yield tarFile(reportPath(certname, hash), Buffer.from(text), now)
    }
  }
  yield TAR_END
}
