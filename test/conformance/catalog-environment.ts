/** How this service answers for the environment of catalogs, where PuppetDB answers null. */

/**
 * An answer as it was recorded, but for the environment of catalogs: where none was sent, PuppetDB answers null, and this
 * service the environment of the latest report. Rows that show both are expected with the latter.
 */
export function withReportEnvironment<Body>(body: Body): Body {
  if (Array.isArray(body)) return body.map(withReportEnvironment) as Body
  const row = (body ?? {}) as Readonly<Record<string, unknown>>
  return row['catalog_environment'] === null && 'report_environment' in row
    ? ({ ...row, catalog_environment: row['report_environment'] } as Body)
    : body
}

/** Questions that ask for nodes by the environment of their catalog, or show no other → how the rows of nodes without one differ. */
export const ABOUT_CATALOGS: Readonly<Record<string, string>> = {
  'nodes-09': '1 rows expected, 4 found',
  'random-14': '2 rows expected, 4 found',
  'random-21': 'catalog_environment: production expected, EDGE_upper found',
  'random-31': 'X-Records 4 expected, 11 found',
}
