// A sender that does everything right but for its FLAWS.
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'

const has = (flaw) => (process.env.FLAWS ?? '').split(',').includes(flaw)
const url = process.env.LOCAL_CATCHER_URL
const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw==', 'base64')
const id = `msg_${randomUUID()}`
const started = Date.now()

function message(attempt) {
  const body = JSON.stringify({
    type: 'order.paid',
    attempt: has('new-body') ? attempt : 1,
    id: undefined,
  })
  const time = String(Math.floor((has('stale') ? started : Date.now()) / 1000))
  const own = has('new-id') ? `msg_${randomUUID()}` : id
  const signature = createHmac('sha256', key).update(`${own}.${time}.${body}`).digest('base64')
  const signed = {
    'webhook-id': own,
    'webhook-timestamp': time,
    'webhook-signature': `v1,${signature}`,
  }
  return {
    body,
    headers: { 'content-type': 'application/json', ...(has('unsigned') ? {} : signed) },
  }
}

async function attempt(number) {
  const redirect = has('follows') ? 'follow' : 'manual'
  const signal = AbortSignal.timeout(has('impatient') ? 1000 : 10_000)
  const options = { method: 'POST', ...message(number), redirect, signal }
  const response = await fetch(url, options).catch(() => null)
  const text = await response?.text()
  if (has('greedy') && text?.length > 1e6) return { status: 500 }
  return response && { status: response.status, after: response.headers.get('retry-after') }
}

/** Whether the receiver passes a challenge as Slack sends one; without that flaw none is sent. */
async function passesChallenge() {
  const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  return (await response.text()).includes('abc')
}
if (has('checks') || has('trusting')) {
  if (!(await passesChallenge()) && has('checks')) process.exit()
}

const isDone = (status) =>
  (status < 400 && status >= 200) || (status === 410 && !has('stubborn')) || has('gives-up')
for (let number = 1; number <= 3; number++) {
  const { status = 0, after = null } = (await attempt(number)) ?? {}
  if (isDone(status)) break
  const growing = has('steady') ? 1500 : 1000 * 4 ** (number - 1)
  const asked = has('hasty') ? 0 : Number(after) * 1000
  await setTimeout(Math.max(growing, asked))
}
if (has('repeats')) await attempt(1)
