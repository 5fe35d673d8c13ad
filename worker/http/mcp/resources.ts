/** The resources of the MCP server: a node and a report, each as the text that tools give of it. */

import { ProtocolError } from './protocol.ts'
import { REPORT_PANEL } from '../../insight/reports/report-panel.ts'
import { asRequiredText } from '../../schema/readers.ts'
import { panelTool, type ToolSource } from './tool.ts'
import { nodeLines } from './tools/why-is-node-failing.ts'

interface ResourceTemplate {
  readonly uriTemplate: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: 'text/plain'
}

const template = (
  scheme: string,
  parameter: string,
  title: string,
  description: string,
): ResourceTemplate => ({
  uriTemplate: `${scheme}://{${parameter}}`,
  name: scheme,
  title,
  description,
  mimeType: 'text/plain',
})

const REPORT = panelTool({
  name: 'report',
  title: 'Report',
  description: 'A report: its state, events and errors.',
  takes: { hash: asRequiredText('The hash of a report.') },
  parts: { answer: { panel: REPORT_PANEL, isMerged: true } },
  page: ({ hash }) => `/console/reports/${String(hash)}`,
})

/** Scheme of the address → its template and its lines. */
const RESOURCES = {
  node: {
    template: template(
      'node',
      'certname',
      'Node',
      'A node: its state, why it fails, its last runs.',
    ),
    lines: nodeLines,
  },
  report: {
    template: template('report', 'hash', 'Report', 'A report: its state, events and errors.'),
    lines: (source: ToolSource, hash: string) => REPORT.answer(source, { hash }),
  },
}

export const RESOURCE_TEMPLATES = Object.values(RESOURCES).map(({ template: one }) => one)

/** @throws ProtocolError for an address that no template has; NotFound where nothing of that name is visible */
export async function resourceLines(source: ToolSource, uri: unknown): Promise<readonly string[]> {
  const [, scheme = '', name = ''] = /^(\w+):\/\/([^/?#]+)$/.exec(String(uri)) ?? []
  const resource = Object.hasOwn(RESOURCES, scheme)
    ? RESOURCES[scheme as keyof typeof RESOURCES]
    : undefined
  if (!resource) throw new ProtocolError('invalid parameters', `Unknown resource: ${String(uri)}`)
  return resource.lines(source, decoded(name))
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
