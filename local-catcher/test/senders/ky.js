// ky with retries switched on for POST, and one signature by standardwebhooks for the message.
import { randomUUID } from 'node:crypto'
import ky from 'ky'
import { Webhook } from 'standardwebhooks'

const body = JSON.stringify({ type: 'order.created', data: { order: randomUUID() } })
const [id, time] = [`msg_${randomUUID()}`, new Date()]
const headers = {
  'content-type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(time / 1000)),
  'webhook-signature': new Webhook(process.env.SECRET).sign(id, time, body),
}
await ky.post(process.env.LOCAL_CATCHER_URL, {
  body,
  headers,
  timeout: 5000,
  retry: { limit: 3, methods: ['post'], retryOnTimeout: true },
})
