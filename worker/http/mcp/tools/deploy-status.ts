/** `deploy_status`: code versions, when each first ran, and how many nodes run it with which result. */

import { deployListRead, type DeploySummary } from '../../../insight/deploys/deploy-list.ts'
import { readOne } from '../../../store/batch-read.ts'
import { asData, asTime, amount, DATA_NOTE, section } from '../text.ts'
import { ENVIRONMENT, viewFor, type Tool } from '../tool.ts'

const MOST_VERSIONS = 15

export const DEPLOY_STATUS: Tool = {
  name: 'deploy_status',
  title: 'Deploy status',
  description:
    'Which versions of the code the nodes run now, with how many failed on each, how many broke with it, and when each version first ran in the span. Use it to see how far a deployment got and whether it broke something.',
  takes: {
    environment: ENVIRONMENT,
    since: { type: 'string', description: 'Begin of the span. Default 7d.', default: '7d' },
  },
  async answer(source, given) {
    const view = await viewFor(source, { since: '7d', ...given })
    const { items, in_use } = await readOne(
      source.database,
      deployListRead(view, { limit: MOST_VERSIONS }),
    )
    const versions = in_use.filter(({ code_version }) => code_version !== null)
    const unnamed = in_use
      .filter(({ code_version }) => code_version === null)
      .reduce((sum, { nodes }) => sum + nodes, 0)
    const { now } = source
    return [
      DATA_NOTE,
      `Now ${amount(versions.length, 'code version')} in use${unnamed > 0 ? `; the latest runs of ${amount(unnamed, 'node')} name none` : ''}.`,
      ...section(
        'In use, on most nodes first:',
        versions
          .slice(0, MOST_VERSIONS)
          .map(
            (one) =>
              `${asData(one.code_version!)} in ${asData(one.environment)}: ${amount(one.nodes, 'node')}, ${one.failing} failed${one.broke > 0 ? `, ${one.broke} of them since they have it` : ''}`,
          ),
      ),
      ...section(
        'First runs in the span, newest first:',
        items.map(
          (deploy) =>
            `${asTime(deploy.time, now)} ${asData(deploy.code_version)} in ${asData(deploy.environment)}: ${deploy.standing}`,
        ),
      ),
      '',
      ...items.slice(0, 1).map((deploy) => `Newest deploy: ${source.origin}${pathOf(deploy)}`),
      `Console: ${source.origin}/console/deploys`,
    ]
  },
}

const pathOf = ({ environment, code_version }: DeploySummary): string =>
  `/console/deploys/${encodeURIComponent(environment)}/${encodeURIComponent(code_version)}`
