// The baseline, as written in five minutes: parse, stringify, console.log, answer.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    console.log(`${request.method} ${request.url}`)
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      console.log(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`)
    }
    console.log(JSON.stringify(JSON.parse(text), null, 2))
    response.setHeader('Content-Type', 'application/json')
    response.end('{"status":"OK","message":"data received"}\n')
  })
})
server.listen(0, '127.0.0.1', () => {
  console.error(`listening on http://127.0.0.1:${server.address().port}`)
})
