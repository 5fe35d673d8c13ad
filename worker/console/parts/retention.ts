/** What is kept how long, with a preview of what other ages would delete. */

import { previewRetention, type RetentionPreview } from '../../housekeeping/preview-retention.ts'
import type { Call } from '../../http/context.ts'
import { AGE_SETTINGS, readSettings, writtenOf, type AgeSetting } from '../../schema/settings.ts'
import { number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { card } from './list.ts'
import { table, type TableColumn } from './table.ts'

/** Setting → what it ages. */
const AGE_NAMES: Readonly<Record<AgeSetting, string>> = {
  REPORT_TTL: 'Reports',
  REPORT_TTL_RULES: 'Exceptions',
  RESOURCE_EVENTS_TTL: 'Events',
  LOGS_AND_METRICS_TTL: 'Logs and metrics',
  NODE_TTL: 'Silent nodes expire',
  NODE_PURGE_TTL: 'Inactive nodes',
}

/** What a rule would delete, by its heading. */
const COUNTS = [
  ['Nodes', 'nodes'],
  ['Reports', 'reports'],
  ['Events', 'events'],
  ['Latest reports kept', 'latest_kept'],
] as const

/**
 * The ages as written, or those of the form with what retention would delete at these.
 *
 * @throws Misconfigured for an age that can't be one
 */
export async function retentionCard(
  { env }: Call,
  { url: { searchParams }, database, now }: Visit,
): Promise<Html> {
  const isPreview = searchParams.has('dry-run')
  const ages = AGE_SETTINGS.map((name): readonly [AgeSetting, string] => [
    name,
    (isPreview ? searchParams.get(name) : null) ?? writtenOf(env, name),
  ])
  const preview = isPreview
    ? await previewRetention(database, readSettings({ ...env, ...Object.fromEntries(ages) }), now)
    : null
  return card(
    { name: 'Retention', id: 'retention', note: 'preview what these ages would delete' },
    html`<form class="asks" action="/console/settings">
        ${each(
          ages,
          ([name, value]) =>
            html`<label class="field"
              >${AGE_NAMES[name]} <small class="mono">${name}</small
              ><input name="${name}" value="${value}"
            /></label>`,
        )}<button name="dry-run" value="on">Preview deletions</button>
      </form>
      <p class="muted">
        This form changes nothing. Set these ages in <code>wrangler.toml</code>, or in the
        environment of a service on your own server.
      </p>
      ${preview === null ? NONE : deletions(preview)}`,
  )
}

const deletions = (preview: readonly RetentionPreview[]): Html =>
  table<RetentionPreview>(preview, [
    [
      'Rule',
      'name',
      ({ step, rule, complete }) => `${step}: ${rule}${complete ? '' : ' (and more)'}`,
    ],
    ['Before (UTC)', 'labelled', ({ before }) => before.slice(0, 16).replace('T', ' ')],
    ...COUNTS.map(([heading, name]): TableColumn<RetentionPreview> => [
      heading,
      'n labelled',
      ({ [name]: count }) => (count === undefined ? '' : number(count)),
    ]),
  ])
