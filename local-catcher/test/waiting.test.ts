import { describe, expect, it } from 'vitest'
import { startCatcher, UsageError, WaitTimeoutError } from '../src/index.js'
import { post } from './launch.js'

const json = { 'Content-Type': 'application/json' }

describe('waitFor', () => {
  it('gives a request that is there already, or comes later, and leaves it there', async () => {
    await using catcher = await startCatcher()
    const later = catcher.waitFor({ path: '/later' })
    await post(`${catcher.url}/first`, 'x')
    expect((await catcher.waitFor((request) => request.path === '/first')).n).toBe(1)
    expect((await catcher.waitFor({ path: '/f*' })).n).toBe(1)
    await post(`${catcher.url}/later`, 'x')
    expect((await later).n).toBe(2)
    expect(catcher.requests.length).toBe(2)
  })

  it('is there as soon as the sender has its answer', async () => {
    await using catcher = await startCatcher()
    for (let i = 0; i < 200; i++) {
      await post(`${catcher.url}/${i}`, 'x')
      expect(catcher.requests.at(-1)!.path).toBe(`/${i}`)
    }
  })

  it.each<[string, Parameters<Awaited<ReturnType<typeof startCatcher>>['waitFor']>[0], string]>([
    ['the method', { method: 'PUT' }, 'method is "POST", not "PUT"'],
    ['the path', { method: 'POST', path: '/x' }, 'path is "/pay", not "/x"'],
    ['a header', { path: '/pay', headers: { 'X-A': '1' } }, 'header X-A is missing, not "1"'],
    [
      'a key of the body',
      { path: '/pay', json: { order: { total: 2 } } },
      'json.order.total is 3, not 2',
    ],
    ['a list in the body', { json: { order: { list: [1] } } }, 'json.order.list is [1,2], not [1]'],
    ['a predicate', () => false, 'the predicate gave false'],
    [
      'a predicate that throws',
      () => JSON.parse('') as boolean,
      'the predicate threw: Unexpected end of JSON input',
    ],
    ['a query', { query: { a: '1' } }, 'query a is missing, not "1"'],
    ['a pattern', { path: /^\/refund/ }, 'path is "/pay", not like /^\\/refund/'],
    [
      'a text',
      { text: /^\[/ },
      'text is "{\\"order\\":{\\"total\\":3,\\"list\\":[1,2]}}", not like /^\\[/',
    ],
    [
      'a matcher',
      { json: { order: { total: expect.any(String) } } },
      'json.order.total is 3, not Any<String>',
    ],
    ['an async predicate', async () => false, 'the predicate gave false'],
    [
      'an async predicate that rejects',
      async () => JSON.parse('') as boolean,
      'the predicate threw: Unexpected end of JSON input',
    ],
  ])('says on a timeout that %s did not fit', async (_name, wanted, reason) => {
    await using catcher = await startCatcher()
    await post(`${catcher.url}/pay`, '{"order":{"total":3,"list":[1,2]}}', json)
    const failure = catcher.waitFor(wanted, { timeout: 20 })
    await expect(failure).rejects.toThrow(WaitTimeoutError)
    await expect(failure).rejects.toThrow(
      `no request matched within 20 ms: 1 other arrived, the nearest:\n  #1 POST /pay: ${reason}`,
    )
  })

  it('names the nearest of several', async () => {
    await using catcher = await startCatcher()
    for (const path of ['/a', '/b', '/c']) await post(catcher.url + path, `{"is":"${path}"}`)
    const failure = catcher.waitFor(
      { method: 'POST', path: '/b', json: { is: 'b' } },
      { timeout: 20 },
    )
    await expect(failure).rejects.toThrow(
      '3 others arrived, the nearest:\n  #2 POST /b: json.is is "/b", not "b"\n  #3',
    )
  })

  it('says that nothing came, and that the catcher was closed', async () => {
    const catcher = await startCatcher()
    await expect(catcher.waitFor({}, { timeout: 10 })).rejects.toThrow(
      'no request matched within 10 ms: none arrived',
    )
    const waiting = expect(catcher.waitFor({})).rejects.toThrow('the catcher was closed')
    await catcher.close()
    await waiting
  })
})

describe('what is no condition is refused, since it would fit every request', () => {
  it.each<[string, unknown, string]>([
    [
      'a number that JavaScript has no exact form of',
      { json: { list: [{ id: 2 ** 53 + 2 }] } },
      "json: 9007199254740994 equals other numbers in JavaScript: give a pattern for 'text'",
    ],
    ['an unknown key', { url: '/pay' }, "waitFor has no 'url'"],
    ['a mistyped key', { pth: '/pay' }, "waitFor has no 'pth': did you mean 'path'?"],
    ['a key that is undefined', { path: undefined }, 'path is undefined: every request would fit'],
    ['a path that is none', { path: 'pay' }, "path: 'pay' is not a path: write it like '/pay'"],
    ['a header that is no text', { headers: { 'X-A': 1 } }, 'is not an object of texts, patterns'],
    ['nothing', undefined, 'waitFor takes an object, not undefined'],
    ['a text', '/pay', "waitFor takes an object, not '/pay'"],
  ])('%s', async (_name, wanted, reason) => {
    await using catcher = await startCatcher()
    await post(`${catcher.url}/first`, 'x')
    await expect(catcher.waitFor(wanted as object)).rejects.toThrow(UsageError)
    await expect(catcher.waitFor(wanted as object)).rejects.toThrow(reason)
  })

  it('nor are options of waitFor that are none', async () => {
    await using catcher = await startCatcher()
    await expect(catcher.waitFor({}, { tiemout: 3 } as object)).rejects.toThrow(
      "waitFor has no 'tiemout': did you mean 'timeout'?",
    )
    await expect(catcher.waitFor({}, { timeout: -1 })).rejects.toThrow('timeout: -1 is not a time')
  })
})

it('waits for several, and without end', async () => {
  await using catcher = await startCatcher()
  const both = catcher.waitFor({ path: '/pay' }, { count: 2 })
  for (const path of ['/pay', '/other', '/pay']) await post(catcher.url + path, 'x')
  expect((await both).map(({ n }) => n)).toEqual([1, 3])
  await expect(catcher.waitFor({ path: '/pay' }, { count: 3, timeout: 20 })).rejects.toThrow(
    '2 of 3 requests matched within 20 ms: 1 other arrived, the nearest:\n  #2 POST /other: path is "/other", not "/pay"',
  )
  const patient = catcher.waitFor({ path: '/last' }, { timeout: '24h' })
  await post(`${catcher.url}/last`, 'x')
  expect((await patient).n).toBe(4)
})

it('gives up on a predicate that never ends', async () => {
  await using catcher = await startCatcher()
  await post(catcher.url, 'x')
  const never = () => new Promise<boolean>(() => {})
  const waiting = catcher.waitFor((request) => request.n > 1 || never(), { timeout: 20 })
  await expect(
    Promise.race([waiting, new Promise((end) => setTimeout(end, 5000))]),
  ).rejects.toThrow(WaitTimeoutError)
})

it('waits for one request at least, and for a billion at most', async () => {
  await using catcher = await startCatcher()
  for (const count of [0, 1e9 + 1]) {
    await expect(catcher.waitFor({}, { count })).rejects.toThrow(/from 1 to 1000000000/)
  }
})
