/** Calls tools of the MCP server. */

import { JSON_TYPE, request } from './client.ts'

interface ToolAnswer {
  readonly text: string
  readonly failed: boolean
}

export async function callTool(
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> {
  const response = await request('/mcp', {
    method: 'POST',
    headers: { accept: 'application/json', ...JSON_TYPE },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    }),
  })
  const { result } = await response.json<{
    result: { content: readonly { text: string }[]; isError?: boolean }
  }>()
  return { text: result.content[0]!.text, failed: result.isError === true }
}
