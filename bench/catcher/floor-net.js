// The floor below the floor: the time that node:net needs to receive a request, find its end and answer.
import { createServer } from 'node:net'

const ANSWER = '{"status":"OK","message":"data received"}\n'
const REPLY =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n' +
  `Content-Length: ${ANSWER.length}\r\nConnection: keep-alive\r\n\r\n${ANSWER}`
const HEAD_END = Buffer.from('\r\n\r\n')

const server = createServer({ noDelay: true }, (socket) => {
  let left = 0
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (left === 0) {
      const end = chunk.indexOf(HEAD_END) + HEAD_END.length
      const [, length] = /Content-Length: (\d+)/.exec(chunk.toString('latin1', 0, end))
      left = Number(length) + end
    }
    left -= chunk.length
    if (left === 0) socket.write(REPLY, 'latin1')
  })
})
server.listen(0, '127.0.0.1', () => {
  console.error(`listening on http://127.0.0.1:${server.address().port}`)
})
