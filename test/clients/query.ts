/** Plain questions to the service. */

const PATIENCE = 60_000

export type Row = Readonly<Record<string, unknown>>

/** A GET that must be answered 200; anything else is an error with the answer's own words. */
export async function ask<Answer = Row[]>(
  url: string,
  path: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const address = new URL(`/pdb/query/v4${path}`, url)
  for (const [name, value] of Object.entries(parameters)) {
    address.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE) })
  if (response.status !== 200) {
    throw new Error(`${decodeURI(address.pathname)}: ${response.status} ${await response.text()}`)
  }
  return response.json<Answer>()
}
