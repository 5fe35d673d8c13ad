/** What is refused or left out is counted, and shown to administrators: senders show it to nobody. */

import { afterAll, describe, expect, it, vi } from 'vitest'
import { request, submit, textOf } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { failing } from './database.ts'
import { event, report, resource } from './reports.ts'

const spy = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
afterAll(() => spy.mockRestore())

const YAML = { 'content-type': 'application/x-yaml' }
const settingsPage = async (): Promise<string> => textOf(await request('/console/settings'))
const metric = async (name: string): Promise<number> => {
  const text = await textOf(await request('/metrics'))
  return Number(new RegExp(`^report_service_${name}_total (\\d+)$`, 'm').exec(text)?.[1])
}
const refuse = (certname: string) => submit({ certname })

describe('a refused command', () => {
  it('is shown with node, sender, reason and how often it was', async () => {
    expect(await settingsPage()).toContain('No refused commands.')
    await refuse('web1.example.com')
    await refuse('web1.example.com')
    const page = await settingsPage()
    expect(page).toContain('Recent refusals')
    const [, row] = /(<tr>(?:(?!<\/tr>)[\s\S])*web1\.example\.com[\s\S]*?<\/tr>)/.exec(page) ?? []
    expect(row).toContain('anyone')
    expect(row).toContain('puppet_version is missing')
    expect(row).toMatch(/data-l="Times">2</)
  })

  it('of Puppet itself is shown too, also where nobody knows its node', async () => {
    const body = '---\nhost: a\n b: c\n'
    expect((await request('/reports', { method: 'POST', headers: YAML, body })).status).toBe(400)
    const page = await settingsPage()
    expect(page).toContain('not named')
    expect(page).toContain('line 3: a key stands deeper than the lines before it.')
  })

  it('is refused for its sender', async () => {
    const service = closed({ TOKENS: tokenLine('web-only', 'submit', 'certname=web*') })
    const response = await service.request(
      '/pdb/cmd/v1?command=store_report&version=8&certname=db1',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-authentication': 'web-only' },
        body: JSON.stringify(report({ certname: 'db1' })),
      },
    )
    expect(response.status).toBe(403)
    const page = await settingsPage()
    expect(page).toContain('web-only')
  })

  it('is counted', async () => {
    const before = await metric('refused_commands')
    expect(before).toBeGreaterThan(0)
    await refuse('count.example.com')
    expect(await metric('refused_commands')).toBe(before + 1)
  })

  it('is remembered with the 200 that were refused last', async () => {
    vi.setSystemTime(Date.now() + 60_000)
    for (let index = 0; index < 201; index++) await refuse(`many-${index}.example.com`)
    vi.useRealTimers()
    const page = await settingsPage()
    expect(page).toContain('many-200.example.com')
    expect(page).not.toContain('web1.example.com')
    expect(page.match(/many-\d+\.example\.com<\/a>/g)).toHaveLength(200)
  })

  it('is answered with its reason by a database that cannot note it', async () => {
    const { database } = failing(...Array.from({ length: 9 }, () => 'D1 DB is overloaded'))
    const response = await submit({ certname: 'busy.example.com' }, {}, database)
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('puppet_version is missing'),
    ])
  })
})

describe('events that are left out', () => {
  const lossy = report({
    certname: 'lossy.example.com',
    resources: [resource({ events: [event({ status: null }), event({ status: 5 }), event()] })],
  })

  it('are counted once, however often they are sent', async () => {
    const before = await metric('events_left_out')
    await submit(lossy)
    await submit(lossy)
    expect(await metric('events_left_out')).toBe(before + 2)
  })
})
