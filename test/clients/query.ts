/** Plain questions to the service. */

const PATIENCE = 60_000

export type Row = Readonly<Record<string, unknown>>

/** Where the service is, and the token that all who ask and send without a certificate present there. */
export interface Target {
  readonly url: string
  /** Null where the service is open. */
  readonly token: string | null
}

export const headersFor = ({ token }: Target): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` }

/** A GET that must be answered 200; anything else is an error with the answer's own words. */
export async function ask<Answer = Row[]>(
  target: Target,
  path: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const address = new URL(`/pdb/query/v4${path}`, target.url)
  for (const [name, value] of Object.entries(parameters)) {
    address.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const signal = AbortSignal.timeout(PATIENCE)
  const response = await fetch(address, { signal, headers: headersFor(target) })
  if (response.status !== 200) {
    throw new Error(`${decodeURI(address.pathname)}: ${response.status} ${await response.text()}`)
  }
  return response.json<Answer>()
}
