/** Whoever reaches the port of a service on this machine says nothing of a connection, and calls nothing but by HTTP. */

import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startService, type Service } from '../../worker/local/service.ts'

const CERTIFICATE = {
  certPresented: '1',
  certVerified: 'SUCCESS',
  certRevoked: '0',
  certSubjectDNRFC2253: 'CN=puppet.example.com',
}
const PATH = '/query/v4/nodes'

let service: Service
beforeAll(async () => {
  service = await startService({
    root: join(import.meta.dirname, '../..'),
    host: '127.0.0.1',
    port: 0,
    data: null,
    settings: { ACCESS: 'closed', CLIENT_CERTIFICATES: 'puppet.example.com admin certname=*' },
  })
})
afterAll(() => service.stop())

it('a front says whose certificate was verified', async () => {
  const cf = { tlsClientAuth: CERTIFICATE }
  const { status } = await service.dispatch(`http://reports.example.com${PATH}`, { cf } as object)
  expect(status).toBe(200)
})

it.each([
  ['MF-CF-Blob', JSON.stringify({ tlsClientAuth: CERTIFICATE })],
  ['cf', JSON.stringify({ tlsClientAuth: CERTIFICATE })],
  ['MF-Original-URL', 'http://reports.example.com/status/v1/simple'],
])('a header does not: %s', async (name, value) => {
  const response = await fetch(`${service.url}${PATH}`, { headers: { [name]: value } })
  await response.text()
  expect(response.status).toBe(401)
})

it.each(['scheduled', 'tail', 'env'])(
  'a runtime that asks to call %s is told that there is no such thing',
  async (method) => {
    const outsider = new Miniflare({
      modules: true,
      compatibilityDate: '2026-04-01',
      script: `export default {
        async fetch(_, { TARGET }) {
          const called = TARGET.${method}({ scheduledTime: new Date('2100-01-01'), cron: '' })
          return new Response(await called.then(() => 'called', String))
        },
      }`,
      serviceBindings: {
        TARGET: { external: { address: new URL(service.url).host, http: {} } },
      },
    })
    try {
      const response = await outsider.dispatchFetch('http://outsider.example/')
      expect(await response.text()).toBe(
        `TypeError: The RPC receiver does not implement the method "${method}".`,
      )
    } finally {
      await outsider.dispose()
    }
  },
)
