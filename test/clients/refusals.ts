/** Who is refused at a closed service, by the certificate that they present or don't, with whichever words they say. */

import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { CERTNAME } from './agent.ts'
import type { Authority } from './certificates.ts'
import { expect, expectSame } from './compare.ts'
import { ask, type Row } from './query.ts'
import { SERVER, type Site } from './site.ts'
import type { Steps } from './steps.ts'

const OTHER = 'other.clients.example'

/** Tries what an outsider, and an agent beyond its rights, would. */
export async function tryToGetIn(steps: Steps, site: Site): Promise<void> {
  const { agent, server, authority, stranger, target } = site
  await steps.step("an agent's certificate deactivates no other node", async () => {
    const { output, errors } = await agent.node('deactivate', OTHER)
    const printed = output + errors
    const sentence = `Certificate '${CERTNAME}' may not submit reports for node '${OTHER}'.`
    expect(printed.includes('403') && printed.includes(sentence), printed)
  })
  await steps.step("an agent's certificate reads nothing", async () => {
    const printed = Object.values(await agent.node('status', CERTNAME)).join(' ')
    expect(printed.includes('This needs the scope read'), printed)
  })
  await steps.step("the server's certificate speaks for every node", async () => {
    const { output, errors } = await server.node('deactivate', OTHER)
    expect(output.includes(`Submitted 'deactivate node' for ${OTHER}`), output + errors)
    const node = await ask<Row>(target, `/nodes/${OTHER}`)
    expect(typeof node['deactivated'] === 'string', 'the node is not deactivated')
  })
  const presented: readonly (readonly [who: string, by: Authority | null, expected: number])[] = [
    ['a certificate of the authority', authority, 200],
    ['the same name in a certificate of another authority', stranger, 401],
    ['no certificate', null, 401],
  ]
  for (const [who, by, expected] of presented) {
    await steps.step(`${who}: ${expected}`, async () => {
      expectSame('status', await statusFor(site, by), expected)
    })
  }
  await steps.step('no certificate, and headers that claim one: 401', async () => {
    const cf = {
      tlsClientAuth: {
        certPresented: '1',
        certVerified: 'SUCCESS',
        certSubjectDNRFC2253: `CN=${SERVER}`,
      },
    }
    const headers = {
      'MF-CF-Blob': JSON.stringify(cf),
      'X-Client-DN': `CN=${SERVER}`,
      'X-Client-Verify': 'SUCCESS',
    }
    expectSame('status by HTTPS', await statusFor(site, null, headers), 401)
    const direct = await fetch(`${target.url}/pdb/query/v4/nodes`, { headers })
    await direct.text()
    expectSame("status at the service's own port", direct.status, 401)
  })
}

/** What is answered to the server's name, in a certificate of that authority if any. */
async function statusFor(
  { secureUrl, authority }: Site,
  by: Authority | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const own = by && (await by.issue(SERVER, [`DNS:${SERVER}`]))
  const options = {
    ca: await readFile(authority.certificate),
    headers,
    agent: false as const,
    ...(own && { cert: await readFile(own.certificate), key: await readFile(own.key) }),
  }
  return new Promise((resolve, reject) => {
    request(`${secureUrl}/pdb/query/v4/nodes`, options, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}
