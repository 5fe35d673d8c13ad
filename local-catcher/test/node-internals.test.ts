// What the catcher rests on in node:http beyond its documented API, each with the case that notices
// a Node in which it is otherwise.
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startCatcher } from '../src/index.js'
import { post } from './launch.js'

/** Sends pieces one after the other over one connection; gives the replies, once there are `count`. */
const converse = (port: number, pieces: readonly string[], count: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').on('error', reject)
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1')
      if (reply.split('data received').length <= count) return
      socket.destroy()
      resolve(reply)
    })
    const send = (index: number) => {
      if (index < pieces.length) socket.write(pieces[index], () => setTimeout(send, 20, index + 1))
    }
    send(0)
  })

const head = (path: string, more: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`

describe('node:http', () => {
  it('gives the body to push() of the IncomingMessage, piece by piece, and null at its end', async () => {
    await using catcher = await startCatcher()
    const chunks = ['3\r\nabc\r\n', '2\r\nde\r\n', '0\r\nX-Sum: 5\r\n\r\n']
    await converse(catcher.port, [head('/', 'Transfer-Encoding: chunked'), ...chunks], 1)
    expect(catcher.requests[0].text()).toBe('abcde')
    expect(catcher.requests[0].trailers).toEqual([['X-Sum', '5']])
  })

  it('takes "finish", emitted by us, for the end of an answer that we wrote', async () => {
    await using catcher = await startCatcher()
    const all = ['/1', '/2', '/3'].map((path) => head(path, 'Content-Length: 1') + 'x')
    await converse(catcher.port, [all.join('')], 3)
    expect(catcher.requests.map(({ path }) => path)).toEqual(['/1', '/2', '/3'])
  })

  it('calls _dump(), which does nothing here, and goes on with the next request', async () => {
    await using catcher = await startCatcher({ rules: [{ path: '/1', status: 500 }] })
    const large = 'x'.repeat(300_000)
    const first = head('/1', `Content-Length: ${large.length}`) + large
    const reply = converse(catcher.port, [first, head('/2', 'Content-Length: 1') + 'y'], 1)
    expect(await reply).toMatch(/^HTTP\/1\.1 500 [^]*HTTP\/1\.1 200 /)
    expect(catcher.requests.map(({ size }) => size)).toEqual([300_000, 1])
  })

  it('reads from a socket that its "connection" listener is given late, with what came so far', async () => {
    await using catcher = await startCatcher()
    await converse(catcher.port, ['PO', 'ST / HTT', 'P/1.1\r\nContent-Length: 3\r\n\r\na', 'bc'], 1)
    expect(catcher.requests[0].text()).toBe('abc')
  })

  it('leaves answers on their way out alone when only the net.Server below it is closed', async () => {
    const catcher = await startCatcher({ body: 'x'.repeat(8_000_000) })
    const reply = await post(catcher.url, 'x')
    const [text] = await Promise.all([reply.text(), catcher.close()])
    expect(text.length).toBe(8_000_000)
  })
})
