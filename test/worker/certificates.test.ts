/** Client certificates: who they let in is who Cloudflare says has presented one, never who a header says. */

import { describe, expect, it } from 'vitest'
import type { PresentedCertificate } from '../../worker/access/certificates.ts'
import { JSON_TYPE, parametersOf, storeReport } from './client.ts'
import { closed } from './closed.ts'
import { report } from './reports.ts'

const service = closed({
  CLIENT_CERTIFICATES: `
    puppet.example.com submit,read certname=*   # compiles for all
    old-*.example.com  read
    *.example.com      submit
    edge               submit certname=edge-* environment=edge`,
})

/** What Cloudflare says of a verified certificate with that subject. */
const verified = (subject: string, others: object = {}) => ({
  certPresented: '1',
  certVerified: 'SUCCESS',
  certRevoked: '0',
  certSubjectDNRFC2253: subject,
  ...others,
})

const asking = (certificate: object): RequestInit => ({ cf: { tlsClientAuth: certificate } })

async function submit(certificate: object, certname: string, environment = 'production') {
  const response = await service.request(`/pdb/cmd/v1?${parametersOf(storeReport(certname))}`, {
    ...asking(certificate),
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(report({ certname, environment })),
  })
  return [response.status, response.status === 200 ? '' : await response.text()]
}

describe('a certificate may submit', () => {
  it.each([
    ['web1.example.com', 'web1.example.com', 200, ''],
    [
      'web1.example.com',
      'web2.example.com',
      403,
      "Certificate 'web1.example.com' may not submit reports for node 'web2.example.com'.",
    ],
    ['puppet.example.com', 'web2.example.com', 200, ''],
    [
      'old-1.example.com',
      'old-1.example.com',
      403,
      "This needs the scope submit; certificate 'old-1.example.com' has read.",
    ],
    [
      'web1.example.org',
      'web1.example.org',
      401,
      "The certificate 'web1.example.org' is valid, but CLIENT_CERTIFICATES does not allow this name.",
    ],
  ])('%s for %s: %i', async (name, certname, status, text) => {
    expect(await submit(verified(`CN=${name}`), certname)).toEqual([status, text])
  })

  it('for the nodes and environments of its entry', async () => {
    const edge = verified('CN=edge')
    expect(await submit(edge, 'edge-1', 'edge')).toEqual([200, ''])
    expect(await submit(edge, 'edge-1')).toEqual([
      403,
      "Certificate 'edge' may not submit reports for environment 'production'.",
    ])
    expect((await submit(edge, 'web1', 'edge'))[0]).toBe(403)
  })
})

describe('a certificate that gives no access says why', () => {
  const KNOWN = 'CN=web1.example.com'
  it.each<[what: string, certificate: PresentedCertificate, sentence: string]>([
    ['revoked', { certVerified: 'FAILED:CERT_REVOKED', certRevoked: '1' }, 'is revoked.'],
    ['revoked, at Cloudflare', { certVerified: 'SUCCESS', certRevoked: '1' }, 'is revoked.'],
    ['expired', { certVerified: 'FAILED:CERT_HAS_EXPIRED' }, 'has expired.'],
    ['expired, at Cloudflare', { certVerified: 'FAILED:certificate has expired' }, 'has expired.'],
    ['of tomorrow', { certVerified: 'FAILED:CERT_NOT_YET_VALID' }, 'is not valid yet.'],
    ...[
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'CERT_SIGNATURE_FAILURE',
      'unable to get local issuer certificate',
    ].map((reason): [string, PresentedCertificate, string] => [
      `of another authority (${reason})`,
      { certVerified: `FAILED:${reason}` },
      'is not from an authority that this service trusts.',
    ]),
    ...['CRL_HAS_EXPIRED', 'CRL_NOT_YET_VALID', 'UNABLE_TO_GET_CRL'].map(
      (reason): [string, PresentedCertificate, string] => [
        `unchecked (${reason})`,
        { certVerified: `FAILED:${reason}` },
        'could not be checked against the revocation list of its authority.',
      ],
    ),
    [
      'faulty',
      { certVerified: 'FAILED:INVALID_PURPOSE' },
      'could not be verified (INVALID_PURPOSE).',
    ],
  ])('%s', async (_, certificate, sentence) => {
    const presented = { certPresented: '1', certRevoked: '0', certSubjectDNRFC2253: KNOWN }
    expect(await submit({ ...presented, ...certificate }, 'web1.example.com')).toEqual([
      401,
      `The certificate 'web1.example.com' ${sentence}`,
    ])
  })

  it.each(['CN=a,CN=b', 'CN=a\\,b', 'O=none', 'CN=<b>'])('%s has no name', async (subject) => {
    expect(await submit(verified(subject), 'web1.example.com')).toEqual([
      401,
      'The certificate has no common name that a Puppet certificate could have.',
    ])
  })
})

describe('a node that may read', () => {
  it('sees itself alone', async () => {
    await submit(verified('CN=puppet.example.com'), 'old-1.example.com')
    const response = await service.request(
      '/query/v4/nodes?query=["extract","certname"]',
      asking(verified('CN=old-1.example.com')),
    )
    expect(await response.json()).toEqual([{ certname: 'old-1.example.com' }])
  })
})

describe('the name in a certificate', () => {
  it.each([
    ['among other attributes', 'CN=puppet.example.com,OU=Ops,O=Example\\, Inc.,C=US', 200],
    ['in another order', 'O=Example,CN=puppet.example.com', 200],
    ['in a name of two values', 'OU=Ops+CN=puppet.example.com', 200],
    ['inside another attribute', 'O=x\\,CN=puppet.example.com', 401],
    ['inside another attribute, quoted', 'O="x,CN=puppet.example.com"', 401],
    ['twice', 'CN=puppet.example.com,CN=web1.example.com', 401],
    ['with something behind it', 'CN=puppet.example.com\\00.evil.example', 401],
    ['as a pattern', 'CN=*.example.com', 401],
    ['nowhere', 'O=Example', 401],
    ['in no subject', '', 401],
  ])('%s: %s', async (_, subject, status) => {
    const response = await service.request('/meta/v1/version', asking(verified(subject)))
    expect(response.status).toBe(status)
  })
})

describe('a certificate that is not valid', () => {
  const subject = 'CN=puppet.example.com'
  it.each([
    ['none', { certPresented: '0', certVerified: 'NONE' }],
    ['one of another authority', { certVerified: 'FAILED:self signed certificate' }],
    ['one that has been revoked', { certRevoked: '1' }],
    ['one that was not looked at', { certVerified: '' }],
  ])('%s', async (_, others) => {
    const response = await service.request('/meta/v1/version', asking(verified(subject, others)))
    expect(response.status).toBe(401)
  })

  it.each(['cf-client-cert-subject', 'x-client-dn', 'ssl-client-s-dn', 'x-forwarded-client-cert'])(
    'the header %s',
    async (name) => {
      const headers = { [name]: subject, 'x-client-verify': 'SUCCESS' }
      expect((await service.request('/meta/v1/version', { headers })).status).toBe(401)
    },
  )
})
