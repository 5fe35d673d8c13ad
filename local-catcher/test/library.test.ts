import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import {
  ListenError,
  parseRecord,
  startCatcher,
  UsageError,
  type CapturedRequest,
} from '../src/index.js'
import { converse as converseWith, post, sendPending, sendRaw, temporaryFolder } from './launch.js'

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
  expect([await status(), await status()]).toEqual([402, 402])
  remove()
  expect([await status(), await status()]).toEqual([503, 200])
  catcher.rule({ status: 418 })
  catcher.rule({ status: 500, times: 1 })
  expect([await status(), await status()]).toEqual([500, 418])
  catcher.reset()
  expect(catcher.requests).toEqual([])
  expect([await status(), await status()]).toEqual([503, 200])
})

it('holds no more than it is told', async () => {
  await using catcher = await startCatcher({ keep: 2 })
  for (let i = 1; i <= 4; i++) await post(catcher.url, 'x')
  expect(catcher.requests.map(({ n }) => n)).toEqual([3, 4])
})

it('holds no more than fits into 64 MiB, with the replies of a target and with headers', async () => {
  await using target = await startCatcher({ body: 'x'.repeat(9_000_000) })
  await using catcher = await startCatcher({ forward: target.url })
  for (let i = 0; i < 9; i++) await (await post(catcher.url, 'x')).arrayBuffer()
  expect(catcher.requests.map(({ n }) => n)).toEqual([3, 4, 5, 6, 7, 8, 9])
  const head = `GET / HTTP/1.1\r\n${'a:\r\n'.repeat(16_000)}\r\n`
  await using other = await startCatcher()
  await sendRaw(other.port, `${head.repeat(40)}GET / HTTP/1.1\r\nConnection: close\r\n\r\n`)
  expect(other.requests.at(-1)!.n).toBe(41)
  expect(other.requests.length).toBeLessThan(35)
})

it('records to a file that reads back', async () => {
  const output = join(temporaryFolder(), 'record.jsonl')
  const catcher = await startCatcher({ output })
  await post(catcher.url, new Uint8Array([0, 255]))
  await catcher.close()
  const record = parseRecord(readFileSync(output, 'utf8'))
  expect([...record.bytes]).toEqual([0, 255])
  expect(() => parseRecord('{}')).toThrow(UsageError)
  expect(parseRecord('{"headers":[],"body":""}').n).toBe(0)
  // What is printed of a record is of the kind that it says.
  for (const wrong of [
    { n: '\x1b[31m' },
    { size: '1' },
    { method: 1 },
    { url: {} },
    { outcome: [] },
    { trailers: [1] },
  ]) {
    const line = JSON.stringify({ headers: [], body: '', ...wrong })
    expect(() => parseRecord(line), line).toThrow(UsageError)
  }
})

describe('the options of the library are read', () => {
  it.each<[string, unknown, string]>([
    ['an unknown one', { rule: [] }, "startCatcher has no 'rule': did you mean 'rules'?"],
    ['another unknown one', { tiemout: 3 }, "startCatcher has no 'tiemout'"],
    ['a scheme that is none', { secret: 'gitlab:x' }, 'secret: write it scheme:secret'],
    ['a secret that is no text', { secret: 5 }, 'secret: write it scheme:secret'],
    ['a size that is none', { maxBody: NaN }, 'maxBody: NaN is not a size'],
    ['a number below zero', { keep: -1 }, 'keep: -1 is not a whole number from 0'],
    ['a certificate without key', { cert: 'x' }, 'cert and key belong together'],
    ['a text for a list', { redact: 'password' }, "redact: 'password' is not a list"],
    ['an object for a list', { rules: {} }, 'rules: {} is not a list'],
    [
      'an entry that is no rule',
      { rules: [{}, null] },
      'rules: entry 2: a rule takes an object, not null',
    ],
    [
      'a wrong rule',
      { rules: [{ stauts: 1 }] },
      "rules: entry 1: a rule has no 'stauts': did you mean 'status'?",
    ],
    ['a text for a switch', { answer: 'no' }, "answer: 'no' is not true or false"],
    ['a body that is none', { body: 5 }, 'body: 5 is neither text nor bytes'],
    ['a body that is not sent', { answer: false, body: 'x' }, 'answer: false and body contradict'],
    [
      'an answer of our own where the target answers',
      { forward: 'http://127.0.0.1:1', body: 'x' },
      'forward gives the sender the reply of the target: leave out status, header, body',
    ],
    ['a body for a status without', { status: 204, body: 'x' }, 'status 204 has no body'],
    ['no object', 'x', "startCatcher takes an object, not 'x'"],
  ])('%s', async (_name, options, reason) => {
    const starting = startCatcher(options as object)
    await expect(starting).rejects.toThrow(UsageError)
    await expect(starting).rejects.toThrow(reason)
  })

  it('in the spelling of the command too', async () => {
    await using catcher = await startCatcher({ secret: 'github:x', maxBody: '1KiB', delay: '1ms' })
    expect((await post(catcher.url, 'x'.repeat(1025))).status).toBe(413)
    expect((await post(catcher.url, 'x')).status).toBe(200)
    expect(catcher.requests.at(-1)!.signature).toMatchObject({ scheme: 'github', state: 'failed' })
  })
})

it('lets nobody change a request for later readers', async () => {
  await using catcher = await startCatcher()
  await post(catcher.url, 'abc', { 'X-A': 'a' })
  const [request] = catcher.requests
  expect(() => ((request.headers as unknown as string[][])[0][0] = 'HACK')).toThrow(TypeError)
  expect(() => (request.headers as unknown as unknown[]).push(['X', 'y'])).toThrow(TypeError)
  request.bytes.fill(0)
  expect([request.text(), catcher.requests[0].text()]).toEqual(['abc', 'abc'])
})

it('has methods that can be taken out of it', async () => {
  await using catcher = await startCatcher()
  const { waitFor, subscribe, clear, rule, reset } = catcher
  const heard: string[] = []
  subscribe(({ path }) => heard.push(path))
  rule({ status: 202 })
  expect((await post(`${catcher.url}/a`, 'x')).status).toBe(202)
  expect((await waitFor({ path: '/a' })).path).toBe('/a')
  clear()
  expect(catcher.requests).toEqual([])
  reset()
  expect([(await post(`${catcher.url}/b`, 'x')).status, heard]).toEqual([200, ['/a', '/b']])
})

it('tells followers of each request, and leaves what they throw to the program', async () => {
  await using catcher = await startCatcher()
  const heard: string[] = []
  const end = catcher.subscribe(({ path }) => heard.push(path))
  await post(`${catcher.url}/a`, 'x')
  end()
  await post(`${catcher.url}/b`, 'x')
  expect([heard, catcher.requests.length]).toEqual([['/a'], 2])
  const program = `
    process.on('unhandledRejection', ({ message }) => console.log(message))
    const { startCatcher } = require(process.argv[1])
    startCatcher().then(async (catcher) => {
      catcher.subscribe(() => { throw new Error('one') })
      catcher.subscribe(() => Promise.reject(new Error('two')))
      console.log((await fetch(catcher.url, { method: 'POST', body: 'x' })).status)
      await catcher.close()
    })`
  const library = fileURLToPath(new URL('../dist/index.js', import.meta.url))
  const said = execFileSync(process.execPath, ['-e', program, library]).toString()
  expect(said.trim().split('\n').sort()).toEqual(['200', 'one', 'two'])
})

it('keeps its time-outs though the garbage collector runs', async () => {
  setFlagsFromString('--expose_gc')
  const collecting = setInterval(runInNewContext('gc') as () => void, 50)
  await using catcher = await startCatcher({ delay: 1000 })
  const answered = post(catcher.url, 'x').then(({ status }) => status)
  const waited = catcher.waitFor({ path: '/never' }, { timeout: 1000 }).catch(({ name }) => name)
  const late = setTimeout(10_000, 'too late')
  expect(await Promise.race([Promise.all([answered, waited]), late])).toEqual([
    200,
    'WaitTimeoutError',
  ])
  clearInterval(collecting)
})

it('cuts delays when it is closed', async () => {
  const catcher = await startCatcher({ delay: '30s' })
  const { reply } = await sendPending(catcher.port, 'x')
  const closed = performance.now()
  await catcher.close()
  expect(performance.now() - closed).toBeLessThan(4000)
  expect(await reply).toBe('')
  expect(catcher.requests[0]).toMatchObject({ outcome: 'stopped', answer: null })
})

it('cuts the delay of a request that is whole only after it is closed', async () => {
  const catcher = await startCatcher({ delay: '30s' })
  const { write, closed } = await converseWith(catcher.port)
  await write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na')
  const from = performance.now()
  const closing = catcher.close()
  await write('b')
  expect(await closed).toBe('')
  await closing
  expect(performance.now() - from).toBeLessThan(4000)
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
  const { screenPage } = await import('../src/command/catch.js')
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
  const page = screenPage(parseCommandLine(CATCH_OPTIONS, [], {}).settings, sink, process)
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
  await using catcher = await openCatcher({}, { screen: { sink, format: broken } })
  expect((await post(catcher.url, 'abc')).status).toBe(200)
  expect(written).toEqual([expect.stringMatching(/^#1 \S+ POST \/ 3 B 200 \S+\n$/)])
})
