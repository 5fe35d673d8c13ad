import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import {
  ListenError,
  parseRecord,
  startCatcher,
  UsageError,
  WaitTimeoutError,
  type CapturedRequest,
} from '../src/index.js'
import { post, temporaryFolder } from './launch.js'

const json = { 'Content-Type': 'application/json' }

it('receives, holds and forgets requests', async () => {
  await using catcher = await startCatcher()
  await post(`${catcher.url}/pay?now=1`, '{"id":1.0}', { ...json, 'X-Id': 'a' })
  const [request] = catcher.requests
  expect(request).toMatchObject({
    n: 1,
    method: 'POST',
    url: '/pay?now=1',
    path: '/pay',
    answer: 200,
    size: 10,
  })
  expect([request.json(), request.text(), request.header('x-ID')]).toEqual([
    { id: 1 },
    '{"id":1.0}',
    'a',
  ])
  expect(Object.isFrozen(request)).toBe(true)
  catcher.clear()
  expect(catcher.requests).toEqual([])
})

it('prints nothing by itself', async () => {
  const spies = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')]
  const catcher = await startCatcher()
  await post(catcher.url, 'x')
  await catcher.close()
  for (const spy of spies) {
    expect(spy).not.toHaveBeenCalled()
    spy.mockRestore()
  }
})

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
  ])('says on a timeout that %s did not fit', async (_name, wanted, reason) => {
    await using catcher = await startCatcher()
    await post(`${catcher.url}/pay`, '{"order":{"total":3,"list":[1,2]}}', json)
    const failure = catcher.waitFor(wanted, { timeout: 20 })
    await expect(failure).rejects.toThrow(WaitTimeoutError)
    await expect(failure).rejects.toThrow(
      `no request matched within 20 ms\nnearest: #1, because ${reason}\n1 arrived:\n  #1 POST /pay: ${reason}`,
    )
  })

  it('names the nearest of several', async () => {
    await using catcher = await startCatcher()
    for (const path of ['/a', '/b', '/c']) await post(catcher.url + path, `{"is":"${path}"}`)
    const failure = catcher.waitFor(
      { method: 'POST', path: '/b', json: { is: 'b' } },
      { timeout: 20 },
    )
    await expect(failure).rejects.toThrow('nearest: #2, because json.is is "/b", not "b"')
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

it('goes through all requests, those there and those to come, until it is closed', async () => {
  const catcher = await startCatcher()
  await post(`${catcher.url}/1`, 'x')
  const paths: string[] = []
  const reading = (async () => {
    for await (const request of catcher) paths.push(request.path)
  })()
  await post(`${catcher.url}/2`, 'x')
  await post(`${catcher.url}/3`, 'x')
  await catcher.close()
  await reading
  expect(paths).toEqual(['/1', '/2', '/3'])
})

it('changes its rules as it goes', async () => {
  await using catcher = await startCatcher({ rules: [{ path: '/pay', status: 503, times: 1 }] })
  const status = async () => (await post(`${catcher.url}/pay`, 'x')).status
  const remove = catcher.rule({ method: 'POST', path: '/pay', status: 402, delay: '1ms' })
  expect([await status(), await status()]).toEqual([503, 402])
  remove()
  expect(await status()).toBe(200)
})

it('holds no more than it is told', async () => {
  await using catcher = await startCatcher({ keep: 2 })
  for (let i = 1; i <= 4; i++) await post(catcher.url, 'x')
  expect(catcher.requests.map(({ n }) => n)).toEqual([3, 4])
})

it('records to a file that reads back', async () => {
  const output = join(temporaryFolder(), 'record.jsonl')
  const catcher = await startCatcher({ output })
  await post(catcher.url, new Uint8Array([0, 255]))
  await catcher.close()
  const record = parseRecord(readFileSync(output, 'utf8'))
  expect([...record.bytes]).toEqual([0, 255])
  expect(() => parseRecord('{}')).toThrow(UsageError)
})

it('rejects what cannot be', async () => {
  await using catcher = await startCatcher()
  await expect(startCatcher({ port: catcher.port })).rejects.toThrow(ListenError)
  await expect(startCatcher({ status: 20 })).rejects.toThrow(UsageError)
  await expect(startCatcher({ headers: { 'X-A': 'a\nb' } })).rejects.toThrow(UsageError)
  expect(() => catcher.rule({ path: '/a/*/b' })).toThrow(UsageError)
  expect(() => catcher.rule({ pth: '/x' } as object)).toThrow(
    "a rule has no 'pth': did you mean 'path'?",
  )
})

it('answers even where a block cannot be formatted', async () => {
  const { openCatcher } = await import('../src/catcher.js')
  const { parseCommandLine } = await import('../src/command/option-table.js')
  const { screenPage } = await import('../src/command/screen.js')
  const { CATCH_OPTIONS } = await import('../src/command/settings.js')
  const written: string[] = []
  const sink = {
    write: (chunks: readonly (readonly (string | Buffer)[])[]) => {
      written.push(chunks.flat().join(''))
      return { taken: chunks.length, error: null }
    },
    isFull: () => false,
    idle: () => Promise.resolve(),
  }
  const page = screenPage(parseCommandLine(CATCH_OPTIONS, [], {}).settings, sink)
  const broken = (request: CapturedRequest) =>
    page.format(
      Object.create(request, {
        headers: {
          get: () => {
            throw new Error('broken\x1b')
          },
        },
      }) as CapturedRequest,
    )
  await using catcher = await openCatcher({}, { sink, format: broken }, () => {})
  expect((await post(catcher.url, 'abc')).status).toBe(200)
  expect(written).toEqual([
    expect.stringMatching(/^#1 could not be shown: broken\\x1b\n00000000 {2}61 62 63 .*\n\n$/),
  ])
})
