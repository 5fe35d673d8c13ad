/** Acknowledged causes: who may, where they stand, when they come back, and what that costs. */

import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteNode } from '../../worker/housekeeping/delete-node.ts'
import { runHousekeeping } from '../../worker/housekeeping/housekeeping.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, costOf, countRows, request, submit, textOf } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { callTool } from './mcp.ts'
import { page } from './page.ts'
import { at, NOON, resource, event, type Payload } from './reports.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MINUTES = 60_000

const failing = (message: string): Payload => ({
  resources: [resource({ events: [event({ status: 'failure', message })] })],
})
/** Runs of a node, half an hour apart, the last at noon; F fails by the message. */
const node = (certname: string, letters: string, message: string, before = 0): Payload[] =>
  runsOf(certname, letters, before).map((run) =>
    run['status'] === 'failed' ? { ...run, ...failing(message) } : run,
  )

const acknowledge = (cause: string, body: object): Promise<Response> =>
  request(`/insight/v1/causes/${cause}/acknowledgement`, {
    method: 'PUT',
    body: JSON.stringify(body),
  })

const causes = async (environment?: string) =>
  (await ask('/insight/v1/causes', environment === undefined ? {} : { environment })).items
const causeOf = async (reason: string) =>
  (await causes()).find((one: { reason: string }) => one.reason === reason)

let count = 0
/** A cause of its own, by which so many nodes fail. */
async function newCause(nodes: number): Promise<{ reason: string; cause: string; name: string }> {
  vi.setSystemTime(NOON)
  // In letters: reasons are the same whatever numbers they name.
  const name = `quiet${[...String(++count)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
  const reason = `The ${name} is broken`
  for (let index = 0; index < nodes; index++)
    await storeInTime(...node(`${name}-${index}`, '-F', reason))
  vi.setSystemTime(NOON + MINUTES)
  return { reason, name, cause: (await causeOf(reason)).cause }
}

const primary = () => Database.primary(env.DB)
const housekeep = (now: number) => runHousekeeping(primary(), readSettings(env), now)

/** What the integrity check finds. */
async function problemsFound(): Promise<unknown[]> {
  const problems: unknown[] = []
  for (let after: string | null = ''; after !== null;) {
    const found = await ask('/admin/v1/check', after === '' ? {} : { after })
    problems.push(...found.problems)
    after = found.next
  }
  return problems
}

beforeEach(() => void vi.setSystemTime(NOON + MINUTES))

describe('an acknowledgement', () => {
  it('names who, why, and until when, and the cause stands apart', async () => {
    const { cause, reason } = await newCause(2)
    const other = await newCause(1)
    expect((await acknowledge(cause, { note: ' OPS-7 ', until: '4h' })).status).toBe(204)
    expect((await causeOf(reason)).acknowledged).toEqual({
      note: 'OPS-7',
      by: 'anyone',
      at: at(MINUTES),
      until: at(MINUTES + 4 * HOUR),
      nodes: 2,
      holds: true,
      ended: null,
    })
    // Fewer nodes fail by the other cause, but nobody works on it.
    const names = (await causes()).map((one: { cause: string }) => one.cause)
    expect(names.indexOf(other.cause)).toBeLessThan(names.indexOf(cause))
    const { incident } = await ask('/insight/v1/incident')
    expect(incident.reason).toBe(other.reason)
    const { html, text } = await page('/console')
    expect(text).toContain('acknowledged by anyone until')
    expect(html).toMatch(/<summary>\s*1 acknowledged cause\s*<\/summary>/)
  })

  it('is not needed for an answer to stay the same, and changes its ETag', async () => {
    const { cause } = await newCause(1)
    const first = await request('/insight/v1/causes')
    const etag = first.headers.get('etag')!
    await first.text()
    const again = () => request('/insight/v1/causes', { headers: { 'if-none-match': etag } })
    expect((await again()).status).toBe(304)
    await acknowledge(cause, { note: 'mine', until: '1h' })
    expect((await again()).status).toBe(200)
  })

  it.each([
    [{ note: '', until: '1h' }, 400, 'needs a note'],
    [{ note: 'x'.repeat(501), until: '1h' }, 400, 'at most 500 characters'],
    [{ note: 'mine' }, 400, 'The body must be JSON such as'],
    [{ note: 'mine', until: 'tomorrow' }, 400, 'not "tomorrow"'],
    [{ note: 'mine', until: at(-HOUR) }, 400, 'of at most 90 days'],
    [{ note: 'mine', until: '91d' }, 400, 'of at most 90 days'],
  ])('%j is refused with %i', async (body, status, sentence) => {
    const { cause } = await newCause(1)
    const response = await acknowledge(cause, body)
    expect([response.status, await textOf(response)]).toEqual([
      status,
      expect.stringContaining(sentence),
    ])
    expect((await acknowledge('0'.repeat(16), { note: 'mine', until: '1h' })).status).toBe(404)
  })

  it('can be withdrawn, once', async () => {
    const { cause, reason } = await newCause(1)
    await acknowledge(cause, { note: 'mine', until: at(DAY) })
    const path = `/insight/v1/causes/${cause}/acknowledgement`
    expect((await request(path, { method: 'DELETE' })).status).toBe(204)
    expect((await causeOf(reason)).acknowledged).toBe(null)
    expect((await request(path, { method: 'DELETE' })).status).toBe(404)
  })

  it.each([
    ['reader', 403],
    ['tenant', 403],
    ['on-call', 204],
    ['boss', 204],
  ])('is for operators: %s gets %i', async (name, status) => {
    const { cause, reason } = await newCause(1)
    const TOKENS = [
      tokenLine('reader', 'read'),
      tokenLine('on-call', 'operate'),
      tokenLine('tenant', 'operate', 'environment=production'),
      tokenLine('boss', 'admin'),
    ].join('\n')
    const init = { method: 'PUT', body: '{"note":"mine","until":"1h"}' }
    const path = `/insight/v1/causes/${cause}/acknowledgement`
    expect((await closed({ TOKENS }).as(name, path, init))[0]).toBe(status)
    expect((await causeOf(reason)).acknowledged?.by).toBe(status === 204 ? name : undefined)
    const [, shown] = await closed({ TOKENS }).as(name, `/console/causes/${cause}`, {
      headers: { accept: 'text/html' },
    })
    expect(shown.includes('id="acknowledge"')).toBe(status === 204)
  })
})

describe('GET /insight/v1/acknowledgements', () => {
  const listed = async (parameters: Record<string, string> = {}) =>
    ask('/insight/v1/acknowledgements', parameters)

  it('lists those that hold, the nearest end first, then those that are over', async () => {
    await env.DB.exec('delete from acknowledgements')
    const [soon, late, over] = [await newCause(2), await newCause(1), await newCause(1)]
    await acknowledge(late.cause, { note: 'later', until: '4h' })
    await acknowledge(soon.cause, { note: 'OPS-7', until: '2h' })
    await acknowledge(over.cause, { note: 'done', until: '1h' })
    vi.setSystemTime(NOON + 90 * MINUTES)
    const { total, items } = await listed()
    expect(total).toBe(3)
    expect(items.map(({ note, holds, ended }: Payload) => [note, holds, ended])).toEqual([
      ['OPS-7', true, null],
      ['later', true, null],
      ['done', false, 'time'],
    ])
    expect(items[0]).toEqual({
      cause: soon.cause,
      reason: soon.reason,
      failing: 2,
      note: 'OPS-7',
      by: 'anyone',
      at: at(MINUTES),
      until: at(MINUTES + 2 * HOUR),
      nodes: 2,
      holds: true,
      ended: null,
    })
    expect((await listed({ limit: '1' })).items).toHaveLength(1)
    expect((await listed({ limit: '1' })).total).toBe(3)
    // Elsewhere no node fails by them.
    expect((await listed({ environment: 'elsewhere' })).items[0].failing).toBe(0)
  })

  it('hides causes of hidden reports', async () => {
    const { cause, reason } = await newCause(1)
    await acknowledge(cause, { note: 'mine', until: '4h' })
    const reasons = async (rule: string) => {
      const TOKENS = tokenLine('tenant', 'read', rule)
      const [status, text] = await closed({ TOKENS }).as('tenant', '/insight/v1/acknowledgements')
      expect(status).toBe(200)
      return (JSON.parse(text) as { items: { reason: string }[] }).items.map((one) => one.reason)
    }
    expect(await reasons('environment=production')).toContain(reason)
    expect(await reasons('environment=elsewhere')).toEqual([])
  })

  it('does not tell restricted readers how many nodes of others fail', async () => {
    const { cause } = await newCause(3)
    await acknowledge(cause, { note: 'mine', until: '4h' })
    const TOKENS = tokenLine('tenant', 'read', 'environment=production')
    for (const path of ['acknowledgements', 'causes', `causes/${cause}`]) {
      const [status, text] = await closed({ TOKENS }).as('tenant', `/insight/v1/${path}`)
      expect([status, text]).toEqual([200, expect.stringContaining('"nodes":null,"holds":true')])
      expect(text).not.toMatch(/"nodes":\d+,"holds"/)
    }
  })
})

describe('cause_details', () => {
  const lines = async (name: string, given: Record<string, unknown>): Promise<string> =>
    (await callTool(name, given)).text

  it('says who acknowledged a cause, until when and why, and when it is back', async () => {
    const { cause } = await newCause(1)
    await acknowledge(cause, { note: 'OPS-7', until: '1h' })
    expect(await lines('cause_details', { cause })).toMatch(
      /acknowledged: \{"note":"OPS-7","by":"anyone",.*"until":"2\S+Z \(ahead of now\)",.*"holds":true/,
    )
    vi.setSystemTime(NOON + 2 * HOUR)
    const back = await lines('cause_details', { cause })
    expect(back).toMatch(/acknowledged: \{"note":"OPS-7",.*"ended":"time"\}/)
    expect(back).not.toContain('"holds":true')
  })
})

describe('an acknowledged cause comes back', () => {
  it.each([
    [1, 2, false],
    [1, 3, true],
    [4, 2, false],
    [4, 3, true],
    [10, 4, false],
    [10, 5, true],
  ])('where %i nodes failed, and %i more do: %s', async (nodes, more, isBack) => {
    const { cause, reason, name } = await newCause(nodes)
    await acknowledge(cause, { note: 'mine', until: '4h' })
    for (let index = 0; index < more; index++)
      await storeInTime(...node(`${name}-more-${index}`, 'F', reason))
    vi.setSystemTime(NOON + 2 * MINUTES)
    const { acknowledged, failing } = await causeOf(reason)
    expect([failing, acknowledged.holds, acknowledged.ended]).toEqual([
      nodes + more,
      !isBack,
      isBack ? 'grown' : null,
    ])
  })

  it('for readers of one environment, too, when it has grown elsewhere', async () => {
    const { cause, reason, name } = await newCause(1)
    await acknowledge(cause, { note: 'mine', until: '4h' })
    for (const index of [1, 2, 3])
      await storeInTime(
        ...node(`${name}-${index}`, 'F', reason).map((run) => ({ ...run, environment: name })),
      )
    vi.setSystemTime(NOON + 2 * MINUTES)
    const [seen] = (await causes('production')).filter(
      (one: { reason: string }) => one.reason === reason,
    )
    expect([seen.failing, seen.acknowledged.holds]).toEqual([1, false])
  })

  it('when its time is over', async () => {
    const { cause, reason } = await newCause(1)
    await acknowledge(cause, { note: 'mine', until: '1h' })
    vi.setSystemTime(NOON + 2 * HOUR)
    expect((await causeOf(reason)).acknowledged).toMatchObject({ holds: false, ended: 'time' })
  })
})

describe('the form on the page of a cause', () => {
  const send = (cause: string, fields: Record<string, string>): Promise<Response> =>
    request(`/console/causes/${cause}/acknowledgement`, {
      method: 'POST',
      headers: { accept: 'text/html', origin: 'http://service.example' },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })

  it('acknowledges and withdraws without script', async () => {
    const { cause, reason } = await newCause(1)
    const response = await send(cause, { do: 'acknowledge', note: 'Ann, OPS-7', until: '4h' })
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      `/console/causes/${cause}`,
    ])
    const { html, text } = await page(`/console/causes/${cause}`)
    expect(text).toContain('Acknowledged by anyone at 12:01, until 16:01: “Ann, OPS-7”')
    expect(text).toMatch(/1 of \d+ nodes fails/)
    expect(text).toContain('It comes back at 16:01, or when 4 nodes fail because of it (1 did when')
    // The sentence of an alarm is red; this one is not, and says no second time what the form is for.
    expect(html).not.toMatch(/class="incident alarm"|<span class="failed">/)
    expect(html).toMatch(/<title>1 node failing now, acknowledged · /)
    expect((await send(cause, { do: 'withdraw' })).status).toBe(302)
    expect((await causeOf(reason)).acknowledged).toBe(null)
  })

  it('keeps the note and says why it is refused', async () => {
    const { cause } = await newCause(1)
    const response = await send(cause, { do: 'acknowledge', note: 'Ann', until: 'soon' })
    const html = await textOf(response)
    expect([response.status, html]).toEqual([400, expect.stringContaining('not &quot;soon&quot;')])
    expect(html).toContain('value="Ann"')
  })

  it('is refused from another site', async () => {
    const { cause } = await newCause(1)
    const response = await request(`/console/causes/${cause}/acknowledgement`, {
      method: 'POST',
      headers: { accept: 'text/html', origin: 'https://evil.example' },
      body: new URLSearchParams({ do: 'acknowledge', note: 'x', until: '4h' }),
    })
    expect(response.status).toBe(403)
  })
})

describe('what it costs and leaves', () => {
  it('an unchanged report writes as many rows as without', async () => {
    const { cause, name } = await newCause(1)
    const unchanged = (n: number) => runsOf(`${name}-other`, '-', 0, { producer_timestamp: at(n) })
    const written = async (n: number) => costOf(await submit(unchanged(n)[0]!)).rowsWritten
    await written(1)
    const without = await written(2)
    await acknowledge(cause, { note: 'mine', until: '4h' })
    expect([without, await written(3)]).toEqual([without, without])
    expect(without).toBeLessThan(10)
  })

  it('metrics tell what nobody works on from what somebody does', async () => {
    const figures = async () =>
      [
        ...(await textOf(await request('/metrics'))).matchAll(/puppet_failing_\w+\{.*\} (\d+)/g),
      ].map(([, value]) => Number(value))
    const { cause } = await newCause(3)
    const [quietCauses, loudCauses, quietNodes, loudNodes] = await figures()
    await acknowledge(cause, { note: 'mine', until: '4h' })
    expect(await figures()).toEqual([
      quietCauses! + 1,
      loudCauses! - 1,
      quietNodes! + 3,
      loudNodes! - 3,
    ])
  })

  it('the check finds one without its cause', async () => {
    await env.DB.exec(
      `insert into acknowledgements (cause, note, author, created, until, nodes) values ('gone', '', '', 0, ${NOON * 2}, 1)`,
    )
    expect(await problemsFound()).toEqual([
      expect.objectContaining({
        invariant: 'acknowledged causes exist',
        where: 'acknowledgement of gone',
      }),
    ])
    await env.DB.exec(`delete from acknowledgements where cause = 'gone'`)
  })

  it('stays right when a node is deleted, and goes 30 days after its end', async () => {
    const { cause, name } = await newCause(2)
    await acknowledge(cause, { note: 'mine', until: '1d' })
    await deleteNode(primary(), `${name}-0`)
    expect(await problemsFound()).toEqual([])
    const stored = () => countRows('acknowledgements where cause = ?1', cause)
    await housekeep(NOON + 30 * DAY)
    expect(await stored()).toBe(1)
    await housekeep(NOON + 32 * DAY)
    expect(await stored()).toBe(0)
  })
})
