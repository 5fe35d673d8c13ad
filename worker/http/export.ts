/** `GET /admin/v1/archive`: all reports as an archive that PuppetDB imports, and this service too. */

import { METADATA_PATH, metadataText, reportPath } from '../archive/format.ts'
import { gzip } from '../archive/gzip.ts'
import { TAR_END, tarFile } from '../archive/tar.ts'
import { wireReport } from '../archive/wire.ts'
import { QueryError } from '../lib/errors.ts'
import { invariant } from '../lib/invariant.ts'
import { suggestion } from '../lib/nearest.ts'
import { formatTimestamp } from '../lib/time.ts'
import { both } from '../plan/implicit.ts'
import { planQuestion } from '../plan/build.ts'
import { comparing, NO_PAGING, WHOLE_ENTITY, type Filter } from '../query/ast.ts'
import { parseJsonQuery, readQuery } from '../query/json.ts'
import { compile } from '../sql/compile.ts'
import { openAnswers } from '../store/answer.ts'
import { Database } from '../store/database.ts'
import { textReader } from '../store/texts.ts'
import { costHeaders } from './respond.ts'
import { streamResponse } from './stream.ts'

const PARAMETERS = ['anonymization_profile', 'anonymization', 'query']

/**
 * The export as a stream of gzipped tar, in the order of producer timestamps. As in PuppetDB's own,
 * reports of plans and of inactive nodes are among them, and that a node is deactivated is not told.
 * Beyond PuppetDB, `query` takes a condition on reports, so that a large store can be exported in parts.
 */
export async function exportArchive(request: Request, binding: D1Database): Promise<Response> {
  const sent = readParameters(new URL(request.url).searchParams)
  // A copy to keep is made of what is stored, not of what a replica has seen of it.
  const database = Database.primary(binding)
  const plan = planQuestion({
    entity: 'reports',
    query: { ...WHOLE_ENTITY, filter: both(OF_ANY_TYPE, conditionOf(sent.get('query') ?? '')) },
    within: null,
    paging: NO_PAGING,
    activeOnly: false,
    legacyNames: true,
    distinct: null,
    // Whoever may export may see everything: the route is for nobody with bounds.
    rowPolicy: null,
  })
  invariant(plan.kind !== 'nothing', 'reports are kept')
  const compiled = () => compile(plan, textReader(database))
  const [answer] = await openAnswers(database, compiled, { total: false, prefix: '/pdb' })
  const now = Date.now()
  const name = `puppetdb-export-${formatTimestamp(now)}.tgz`
  return streamResponse(gzip(tarOf(answer!.pages, now)), {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename=${name}`,
    ...costHeaders(database),
  })
}

/** Mentions the type, without which reports of plans would be left out. */
const OF_ANY_TYPE = comparing('type', 'any')

function readParameters(parameters: URLSearchParams): URLSearchParams {
  for (const [name, value] of parameters) {
    if (!PARAMETERS.includes(name)) {
      throw new QueryError(`Unsupported query parameter '${name}'.${suggestion(name, PARAMETERS)}`)
    }
    if (name.startsWith('anonymization') && value !== 'none') {
      throw new QueryError(
        `Exports are not anonymized here, so '${name}' can only be 'none', not '${value}'.`,
      )
    }
  }
  return parameters
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
