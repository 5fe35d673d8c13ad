// axios with axios-retry and exponential pauses, and a signature by standardwebhooks per attempt.
import { randomUUID } from 'node:crypto'
import axios from 'axios'
import axiosRetry, { exponentialDelay, isNetworkError, isRetryableError } from 'axios-retry'
import { Webhook } from 'standardwebhooks'

const id = `msg_${randomUUID()}`
const body = JSON.stringify({ type: 'order.created', data: { order: randomUUID() } })
const client = axios.create({ timeout: 5000, headers: { 'content-type': 'application/json' } })
client.interceptors.request.use((config) => {
  const time = new Date()
  config.headers.set('webhook-id', id)
  config.headers.set('webhook-timestamp', String(Math.floor(time / 1000)))
  config.headers.set('webhook-signature', new Webhook(process.env.SECRET).sign(id, time, body))
  return config
})
axiosRetry(client, {
  retries: 3,
  shouldResetTimeout: true,
  retryDelay: (count, error) => exponentialDelay(count, error, 500),
  retryCondition: (error) =>
    isNetworkError(error) || isRetryableError(error) || error.code === 'ECONNABORTED',
})
await client.post(process.env.LOCAL_CATCHER_URL, body)
