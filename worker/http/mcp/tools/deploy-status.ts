/** `deploy_status`: code versions, when each first ran, and how many nodes run it with which result. */

import { planRoot, ask } from '../../../answer/ask.ts'
import { timelineRead } from '../../../insight/timeline.ts'
import { comparison } from '../../../query/ast.ts'
import { both } from '../../../plan/implicit.ts'
import { parsePql } from '../../../query/pql-parser.ts'
import { codeVersionOf } from '../../../report/code-version.ts'
import { readOne } from '../../../store/batch-read.ts'
import { asData, asTime, amount, DATA_NOTE, section } from '../text.ts'
import { ENVIRONMENT, textIn, viewFor, type Tool, type ToolSource } from '../tool.ts'

const MOST_VERSIONS = 15

/** Latest reports by code and result. A site whose configuration version is a time has a group for each run, so the groups are bounded. */
const MOST_GROUPS = 1000
const BY_VERSION = `reports[code_id, configuration_version, environment, status, count()] {
  latest_report? = true group by code_id, configuration_version, environment, status limit ${MOST_GROUPS} }`

export const DEPLOY_STATUS: Tool = {
  name: 'deploy_status',
  title: 'Deploy status',
  description:
    'Which versions of the code the nodes run now, with how many failed on each, and when each version first ran in the span. Use it to see how far a deployment got and whether it broke something.',
  takes: {
    environment: ENVIRONMENT,
    since: { type: 'string', description: 'Begin of the span. Default 7d.', default: '7d' },
  },
  async answer(source, given) {
    const view = await viewFor(source, { since: '7d', ...given })
    const { deploys } = await readOne(
      source.database,
      timelineRead(view, { bucket: 'day', certname: null }),
    )
    const { versions, unnamed, complete } = await versionsInUse(
      source,
      textIn(given, 'environment'),
    )
    const { now } = source
    return [
      DATA_NOTE,
      `Now ${amount(versions.length, 'code version')} in use${unnamed > 0 ? `; the latest runs of ${amount(unnamed, 'node')} name none` : ''}.`,
      ...(complete ? [] : [`Only the first ${MOST_GROUPS} groups were counted.`]),
      ...section(
        'In use, on most nodes first:',
        versions
          .slice(0, MOST_VERSIONS)
          .map(
            (one) =>
              `${asData(one.version)} in ${asData(one.environment)}: ${amount(one.nodes, 'node')}, ${one.failed} failed`,
          ),
      ),
      ...section(
        'First runs in the span, newest first:',
        deploys
          .slice(-MOST_VERSIONS)
          .reverse()
          .map(
            (deploy) =>
              `${asTime(deploy.time, now)} ${asData(deploy.code_version)} in ${asData(deploy.environment)}`,
          ),
      ),
      '',
      `Console: ${source.origin}/console`,
    ]
  },
}

interface Group {
  readonly code_id: string | null
  readonly configuration_version: string
  readonly environment: string
  readonly status: string | null
  readonly count: number
}

async function versionsInUse(source: ToolSource, environment: string | null) {
  const query = parsePql(BY_VERSION)
  const within = environment === null ? null : comparison('environment', environment)
  const plan = planRoot({ ...query, filter: both(query.filter, within) }, source.rowPolicy)
  const { pages } = await ask(source.database, plan)
  const versions = new Map<
    string,
    { version: string; environment: string; nodes: number; failed: number }
  >()
  let [unnamed, groups] = [0, 0]
  for await (const page of pages) {
    for (const text of page) {
      const group = JSON.parse(text) as Group
      groups++
      const version = codeVersionOf({
        codeId: group.code_id,
        configurationVersion: group.configuration_version,
      })
      if (version === null) {
        unnamed += group.count
        continue
      }
      const key = JSON.stringify([version, group.environment])
      const one = versions.get(key) ?? {
        version,
        environment: group.environment,
        nodes: 0,
        failed: 0,
      }
      one.nodes += group.count
      if (group.status === 'failed') one.failed += group.count
      versions.set(key, one)
    }
  }
  return {
    versions: [...versions.values()].sort((one, other) => other.nodes - one.nodes),
    unnamed,
    complete: groups < MOST_GROUPS,
  }
}
