/** docs/reference.md: the lists of settings, endpoints, parameters, fields, metrics, tools and limits. */

import { format } from 'prettier'
import type { ReferenceList } from '../../worker/http/description.ts'
import { referenceLists } from '../openapi/reference.ts'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'

/** Where the text is stored, relative to the folder of the project. */
export const REFERENCE = 'docs/reference.md'

const HEAD = `# Reference

Everything that can be set and asked, in lists that are made of the service's own tables (\`npm run describe\`). A running service describes its API at \`/openapi.json\`.
`

export async function referenceText(): Promise<string> {
  const lists = referenceLists(EVERY_ROUTE)
  const contents = lists.map(({ title }) => `- [${title}](#${anchorOf(title)})`).join('\n')
  const text = [HEAD, contents, ...lists.map(listText)].join('\n\n')
  return format(text, { parser: 'markdown', printWidth: 100 })
}

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

function listText({ title, about, columns, rows }: ReferenceList): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    `## ${title}`,
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
