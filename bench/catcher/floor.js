// The floor: what node:http itself takes to receive a body and answer, without looking at either.
// With `lean` it is set up as the catcher sets it up, which is the floor of the catcher.
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
