import { expect, it } from 'vitest'
import { startCatcher } from '../src/index.js'
import { finish, launch, post } from './launch.js'

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

it.each([
  ['json.a=1 json.a.b=2', 'a'],
  ['json.a.b=2 json.a=1', 'a'],
  ['header.x=1 header.x=2', 'x'],
])('refuses %s, which no request fulfils', async (conditions, key) => {
  const { code, talk } = await finish(['-p', '0', '-r', `${conditions} => 500`])
  expect([code, talk]).toEqual([2, expect.stringContaining(`two values are for ${key}`)])
})

it.each<[when: string, then: string, headers: Record<string, string>]>([
  ['header.x="a => b"', '500', { x: 'a => b' }],
  ['header.x="\\"=>\\""', '500', { x: '"=>"' }],
  ['json.a={"b":"=>"}', '500', {}],
  ['header.x=a=', '500 body="=>"', { x: 'a=' }],
  ['header.x=a"b', '500 body="=>"', { x: 'a"b' }],
])('knows the arrow of a rule from one in a value: %s', async (when, then, headers) => {
  const catcher = await launch(['-r', `${when} => ${then}`])
  expect((await post(catcher.url, '{"a":{"b":"=>"}}', headers)).status).toBe(500)
  await catcher.stop()
})

it.each(['__proto__', 'toString'])('knows %s as a key of the body alone', async (key) => {
  const catcher = await launch(['-r', `json.${key}.x=1 => 500`])
  expect((await post(catcher.url, '{"y":2}')).status).toBe(200)
  expect((await post(catcher.url, `{"${key}":{"x":1}}`)).status).toBe(500)
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

it('counts the answers of a rule also where many requests come at once', async () => {
  await using catcher = await startCatcher()
  catcher.rule({ status: 503, times: 3 })
  const sent = Array.from({ length: 10 }, () => post(catcher.url, 'x'))
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 503).length).toBe(3)
})
