// The floor: the time that node:http itself needs to receive a body, discard it and answer.
import { createServer } from 'node:http'

const ANSWER = '{"status":"OK","message":"data received"}\n'
const HEAD = ['Content-Type', 'application/json', 'Content-Length', String(ANSWER.length)]

const server = createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', () => {
    response.writeHead(200, HEAD)
    response.end(ANSWER, 'latin1')
  })
})
server.listen(0, '127.0.0.1', () => {
  console.error(`listening on http://127.0.0.1:${server.address().port}`)
})
