import { describe, expect, it } from 'vitest'
import { startCatcher, type Rule } from '../src/index.js'
import { launch, post } from './launch.js'

it('fails only the kind of webhook that a rule means, all being sent to one URL', async () => {
  const catcher = await launch([
    ...['-r', '/hooks json.type=payment.failed json.data.0.id=7 => 503 x1'],
    ...['-r', '/hooks header.x-github-event=push => 402'],
    ...['-r', '/hooks query.token="a b" json.ok=true => 418'],
  ])
  const send = async (body: string, headers: Record<string, string> = {}, query = '') =>
    (await post(`${catcher.url}/hooks${query}`, body, headers)).status
  const failed = '{"type":"payment.failed","data":[{"id":7}]}'
  expect(await send(failed.replace('7', '8'))).toBe(200)
  expect([await send(failed), await send(failed)]).toEqual([503, 200])
  expect(await send('{}', { 'X-GitHub-Event': 'push' })).toBe(402)
  expect(await send('{}', { 'X-GitHub-Event': 'pushed' })).toBe(200)
  expect(await send('{"ok":true}', {}, '?token=a+b')).toBe(418)
  expect(await send('{"ok":false}', {}, '?token=a+b')).toBe(200)
  await catcher.stop()
})

it('takes no large number for its neighbour', async () => {
  const catcher = await launch(['-r', 'json.id=9007199254740993 => 500'])
  expect((await post(catcher.url, '{"id":9007199254740992}')).status).toBe(200)
  expect((await post(catcher.url, '{"id":"9007199254740993"}')).status).toBe(500)
  await catcher.stop()
  const largest = await launch(['-r', 'json.id=9007199254740991 => 500'])
  expect((await post(largest.url, '{"id":9007199254740991}')).status).toBe(500)
  await largest.stop()
})

describe('an answer computed by a function', () => {
  it('is sent with what the rule says besides', async () => {
    await using catcher = await startCatcher()
    catcher.rule({
      path: '/echo',
      status: 201,
      headers: { 'X-Rule': 'a' },
      answer: async (request) => ({ body: request.text().toUpperCase() }),
    })
    const response = await post(`${catcher.url}/echo`, 'abc')
    expect([response.status, response.headers.get('x-rule'), await response.text()]).toEqual([
      201,
      'a',
      'ABC',
    ])
    expect(catcher.requests[0].answer).toBe(201)
  })

  it('is left to the next rule where the function gives none, which is not counted', async () => {
    await using catcher = await startCatcher({ rules: [{ status: 418 }] })
    catcher.rule({ times: 1, answer: ({ path }) => (path === '/a' ? { status: 202 } : undefined) })
    const status = async (path: string) => (await post(catcher.url + path, 'x')).status
    expect([await status('/b'), await status('/a'), await status('/a')]).toEqual([418, 202, 418])
  })

  it('is 500 with the reason where the function fails', async () => {
    await using catcher = await startCatcher()
    const fail = (rule: Rule) => {
      catcher.reset()
      catcher.rule(rule)
      return post(catcher.url, 'x').then((response) => response.text())
    }
    const throwing = () => {
      throw new Error('no such order')
    }
    expect(await fail({ answer: throwing })).toBe('the rule could not answer: no such order\n')
    expect(await fail({ answer: () => ({ stauts: 1 }) as object })).toContain(
      "an answer has no 'stauts': did you mean 'status'?",
    )
    expect(catcher.requests[0]).toMatchObject({ answer: 500 })
  })

  it('is given to requests that a function means', async () => {
    await using catcher = await startCatcher()
    catcher.rule({ when: async (request) => request.text() === 'b', status: 409, times: 1 })
    const status = async (body: string) => (await post(catcher.url, body)).status
    expect([await status('a'), await status('b'), await status('b')]).toEqual([200, 409, 200])
  })
})

it('counts the answers of a rule also where many requests come at once', async () => {
  await using catcher = await startCatcher()
  catcher.rule({ when: async () => true, status: 503, times: 3 })
  const sent = Array.from({ length: 10 }, () => post(catcher.url, 'x'))
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 503).length).toBe(3)
})
