/** A request from outside says nothing of its connection, and calls nothing but the service by HTTP. */

import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'

const CERTIFICATE = {
  certPresented: '1',
  certVerified: 'SUCCESS',
  certRevoked: '0',
  certSubjectDNRFC2253: 'CN=puppet.example.com',
}
const CF = JSON.stringify({ tlsClientAuth: CERTIFICATE })
const PATH = '/query/v4/nodes'

let service: Service
beforeAll(async () => {
  service = await startLocalService({
    ACCESS: 'closed',
    CLIENT_CERTIFICATES: 'puppet.example.com admin certname=*',
  })
})
afterAll(() => service.stop())

it('the launcher passes the name of a verified certificate to the Worker', async () => {
  const { status } = await service.askOverTls({ path: PATH }, { tlsClientAuth: CERTIFICATE })
  expect(status).toBe(200)
})

it.each([
  ['MF-CF-Blob', CF],
  ['cf', CF],
  ['x-launcher-cf', CF],
  ['MF-Original-URL', 'http://reports.example.com/status/v1/simple'],
])('a client does not: %s', async (name, value) => {
  const response = await fetch(`${service.url}${PATH}`, { headers: { [name]: value } })
  await response.text()
  expect(response.status).toBe(401)
})

it.each(['scheduled', 'tail', 'env'])(
  'a runtime that asks to call %s is told that there is no such way in',
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
      expect(await response.text()).toMatch(/^\w*Error: /)
    } finally {
      await outsider.dispose()
    }
  },
)
