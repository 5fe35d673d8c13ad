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
/** The rows of the table of refusals that hold a text. */
const rowsOf = async (text: string): Promise<readonly string[]> =>
  [...(await settingsPage()).matchAll(/<tr>[\s\S]*?<\/tr>/g)]
    .map(([row]) => row)
    .filter((row) => row.includes('data-l="count"') && row.includes(text))
const rowOf = async (text: string): Promise<string> => (await rowsOf(text))[0] ?? 'no such row'
const timesIn = (row: string): number => Number(/data-l="count">(\d+)</.exec(row)?.[1])
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
    const row = await rowOf('web1.example.com')
    expect(row).toContain('anyone')
    expect(row).toContain('puppet_version is missing')
    expect(timesIn(row)).toBe(2)
  })

  it('of Puppet itself is shown too, with its node, although it cannot be read', async () => {
    const body = '---\nhost: unread.example.com\n b: c\n'
    expect((await request('/reports', { method: 'POST', headers: YAML, body })).status).toBe(400)
    expect(await rowOf('unread.example.com')).toContain('line 3: a key is indented deeper')
  })

  it('of Puppet itself is shown where nobody knows its node', async () => {
    const body = '---\nhostname: a\n b: c\n'
    expect((await request('/reports', { method: 'POST', headers: YAML, body })).status).toBe(400)
    expect(await rowOf('not named')).toContain('line 3: a key is indented deeper')
  })

  it('is shown once for each reason', async () => {
    const [body, other] = ['---\nhost: twice.example.com\n', '---\nhost: twice.example.com\n- a\n']
    for (const text of [body, other, body]) {
      await request('/reports', { method: 'POST', headers: YAML, body: text })
    }
    const rows = await rowsOf('twice.example.com')
    expect(rows.map(timesIn).sort()).toEqual([1, 2])
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

  it('is answered with its reason by a database that cannot note it', async () => {
    const { database } = failing(...Array.from({ length: 9 }, () => 'D1 DB is overloaded'))
    const response = await submit({ certname: 'busy.example.com' }, {}, database)
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('puppet_version is missing'),
    ])
  })
})

describe('a command that never reaches its handler', () => {
  const service = closed({
    TOKENS: [tokenLine('reader', 'read'), tokenLine('sender', 'submit')].join('\n'),
  })
  const send = (token: string, certname: string, headers: Record<string, string> = {}) =>
    service.request(`/pdb/cmd/v1?command=store_report&version=8&certname=${certname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-authentication': token, ...headers },
      body: '{}',
    })

  it.each([
    ['for the scope of its token', 'reader', {}, 403, 'This needs the scope submit'],
    ['for what it accepts', 'sender', { accept: 'text/html' }, 406, 'must accept'],
    ['for its media type', 'sender', { 'content-type': 'text/csv' }, 415, 'text/csv'],
  ])('%s is shown with its sender and its node', async (_, token, headers, status, reason) => {
    const certname = `${token}-${status}.example.com`
    expect((await send(token, certname, headers)).status).toBe(status)
    const row = await rowOf(certname)
    expect(row).toContain(`>${token}<`)
    expect(row).toContain(reason)
  })

  it('as nobody knows its sender is shown, and what was refused within a minute is written at once', async () => {
    const before = await metric('refused_commands')
    expect((await send('wrong', 'stranger.example.com')).status).toBe(401)
    expect(await rowOf('stranger.example.com')).toContain('>not known<')
    for (let index = 0; index < 30; index++) await send('wrong', 'stranger.example.com')
    for (let index = 0; index < 30; index++) await send('wrong', `stranger-${index}.example.com`)
    expect(timesIn(await rowOf('stranger.example.com'))).toBe(1)

    vi.setSystemTime(Date.now() + 60_001)
    await send('wrong', 'stranger.example.com')
    vi.useRealTimers()
    expect(timesIn(await rowOf('stranger.example.com'))).toBe(32)
    expect(await rowsOf('stranger-1')).toHaveLength(10)
    expect(await metric('refused_commands')).toBe(before + 62)
  })
})

describe('a command that fails for no fault of its own', () => {
  it('is shown where the fault is ours', async () => {
    vi.spyOn(console, 'error').mockImplementationOnce(() => undefined)
    const { database } = failing('D1 says something new')
    const response = await submit(report({ certname: 'bug.example.com' }), {}, database)
    expect(response.status).toBe(500)
    expect(await rowOf('bug.example.com')).toContain('Internal error. It has been logged.')
  })

  it('is shown after the next command that a busy database stores', async () => {
    const { database, batches } = failing('D1 DB is overloaded')
    const send = () => submit(report({ certname: 'hasty.example.com' }), {}, database)
    expect((await send()).status).toBe(503)
    expect([await rowsOf('hasty.example.com'), batches()]).toEqual([[], 1])
    expect((await send()).status).toBe(200)
    expect(await rowOf('hasty.example.com')).toContain('The database is not available right now')
    const batchesBefore = batches()
    expect((await send()).status).toBe(200)
    expect(batches()).toBe(batchesBefore + 1)
  })
})

describe('events that are left out', () => {
  const lossy = report({
    certname: 'lossy.example.com',
    resources: [resource({ events: [event({ status: null }), event({ status: 5 }), event()] })],
  })

  it('are counted once, however often they are sent', async () => {
    const countLeftOut = () => metric('events_left_out')
    const before = await countLeftOut()
    await submit(lossy)
    await submit(lossy)
    expect(await countLeftOut()).toBe(before + 2)
  })
})

describe('of refused commands are remembered', () => {
  const senders = ['first', 'second']
  const service = closed({ TOKENS: senders.map((name) => tokenLine(name, 'submit')).join('\n') })
  const refuseMany = async (sender: string): Promise<void> => {
    for (let index = 0; index < 101; index++) {
      await service.submit(sender, { certname: `${sender}-${index}.example.com` })
    }
  }

  it('the last hundred of a sender, and the last two hundred of all', async () => {
    await refuse('before.example.com')
    vi.setSystemTime(Date.now() + 120_000)
    await refuseMany('first')
    expect(await rowsOf('first-')).toHaveLength(100)
    expect(await rowsOf('before.example.com')).toHaveLength(1)
    await refuseMany('second')
    vi.useRealTimers()
    expect([await rowsOf('first-'), await rowsOf('second-')].map((rows) => rows.length)).toEqual([
      100, 100,
    ])
    expect(await rowsOf('before.example.com')).toEqual([])
  })
})
