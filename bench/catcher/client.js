// Generates load over keep-alive connections. Each sends its next request after the answer to the last.
// Usage: node client.js <port> <connections> <body name> <requests>
import { connect } from 'node:net'
import { bodies, megabyte } from './bodies.js'

const [port, connections, name, most] = process.argv.slice(2)
const body = name === 'megabyte' ? megabyte : bodies[name]
const request = Buffer.from(
  `POST /hook?source=bench HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: bench/1\r\n` +
    `Accept: */*\r\nContent-Type: application/json\r\nX-Webhook-Id: msg_1\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
)

let sent = 0
let answered = 0
let failed = 0

function converse() {
  const socket = connect(Number(port), '127.0.0.1')
  let text = ''
  const next = () => {
    if (sent >= Number(most)) return socket.end()
    sent++
    socket.write(request)
  }
  socket.on('connect', next)
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) return
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (text.length < end + 4 + length) return
    if (text.startsWith('HTTP/1.1 200')) answered++
    else failed++
    text = ''
    next()
  })
  socket.on('error', () => failed++)
  return new Promise((resolve) => socket.on('close', resolve))
}

const started = performance.now()
await Promise.all(Array.from({ length: Number(connections) }, converse))
process.stdout.write(JSON.stringify({ answered, failed, elapsed: performance.now() - started }))
