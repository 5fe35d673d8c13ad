/** docs/reference/: pages that are made of the service's tables. */

import { format } from 'oxfmt'
import type { ReferenceList } from '../../worker/http/description.ts'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'
import { referenceLists } from '../openapi/reference.ts'
import { commandsText } from './commands.ts'

/** Where the pages are stored, relative to the folder of the project. */
export const REFERENCE = 'docs/reference'

interface ReferencePage {
  readonly title: string
  readonly about: string
  /** The lists it has: their titles begin so. */
  readonly lists: readonly string[]
}

/** File → its page. Each list is in one of them. */
const PAGES: Readonly<Record<string, ReferencePage>> = {
  'settings.md': {
    title: 'Settings',
    about:
      'How to set them: [on Cloudflare](../how-to/deploy-to-cloudflare.md#deploy), [on your own server](../how-to/run-your-own-server.md#3-give-access).',
    lists: ['Settings'],
  },
  'endpoints.md': {
    title: 'Endpoints',
    about:
      'A running service describes its API at `/openapi.json`. [Troubleshooting](../how-to/troubleshooting.md#by-status) explains statuses other than 200.',
    lists: ['Endpoints', 'Parameters', 'Tools of MCP'],
  },
  'fields.md': {
    title: 'Fields',
    about:
      'What the query API answers, and what conditions may name. [Query reports](../how-to/query.md) has examples.',
    lists: ['Fields'],
  },
  'metrics.md': {
    title: 'Metrics',
    about:
      '[The alert rules](../how-to/connect-other-tools.md#prometheus-and-grafana) name those to alert on.',
    lists: ['Metrics'],
  },
  'limits.md': {
    title: 'Limits and rules',
    about:
      'Numbers that the service decides by. [What its statements mean](../explanation/what-it-asserts.md) explains the rules.',
    lists: ['Limits', 'Verdicts', 'Thresholds', 'Rules'],
  },
}

const INDEX = `# Reference

These lists are made of the service's own tables (\`npm run describe\`), so they match the code. A running service has
them at \`/openapi.json\`.

- [Settings](settings.md): every variable with its default.
- [Commands](commands.md): options and exit codes.
- [Endpoints](endpoints.md): paths, scopes, parameters, tools of MCP.
- [Fields](fields.md): what reports, events and nodes have.
- [Metrics](metrics.md) for Prometheus.
- [Limits and rules](limits.md): sizes, thresholds, verdicts.
- [Faults](faults.md): what can break on your own server, what you see then, what is kept.
- [Console](console.md): its pages, addresses and marks.

Errors are in [troubleshooting](../how-to/troubleshooting.md), each with its remedy.`

/**
 * File, relative to the folder of the project → its text.
 *
 * @param root the folder of the project
 */
export async function referencePages(root: string): Promise<ReadonlyMap<string, string>> {
  const lists = referenceLists(EVERY_ROUTE)
  const texts = Object.entries(PAGES).map(([file, page]) => [file, pageText(page, lists)] as const)
  const all = [...texts, ['README.md', INDEX], ['commands.md', await commandsText(root)]] as const
  const formatted = all.map(async ([file, text]) => {
    const path = `${REFERENCE}/${file}`
    return [path, (await format(path, text, { printWidth: 100 })).code] as const
  })
  return new Map(await Promise.all(formatted))
}

function pageText(
  { title, about, lists: begins }: ReferencePage,
  all: readonly ReferenceList[],
): string {
  const lists = begins.flatMap((begin) => all.filter((list) => list.title.startsWith(begin)))
  const contents = lists.map((list) => `- [${list.title}](#${anchorOf(list.title)})`).join('\n')
  const isOne = lists.length === 1
  return [
    `# ${title}`,
    about,
    ...(isOne ? [] : [contents]),
    ...lists.map((list) => (isOne ? tableText(list) : `## ${list.title}\n\n${tableText(list)}`)),
  ].join('\n\n')
}

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

function tableText({ about, columns, rows }: ReferenceList): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    about,
    [
      line(columns),
      line(columns.map(() => '---')),
      ...rows.map(([name = '', ...others]) =>
        line([`\`${name}\``, ...others.map((text) => text.replaceAll('|', '\\|'))]),
      ),
    ].join('\n'),
  ].join('\n\n')
}
