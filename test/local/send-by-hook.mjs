// Sends a test message by the hook drill-NAME, where NAME is the path of LOCAL_CATCHER_URL, and ends
// when the service has delivered it or given it up. The pauses of the service go by faster here.
import { setTimeout } from 'node:timers/promises'

const { SERVICE_URL, TICK_URL, LOCAL_CATCHER_URL, MS_PER_MINUTE } = process.env
const exercise = new URL(LOCAL_CATCHER_URL).pathname.slice(1)
const name = `drill-${exercise}`

async function dueAt() {
  const deliveries = await (await fetch(`${SERVICE_URL}/admin/v1/deliveries`)).json()
  const { next_attempt } = deliveries.find(({ hook }) => hook === name)
  return next_attempt === null ? null : Date.parse(next_attempt)
}

let now = Date.now()
const sent = await fetch(`${SERVICE_URL}/admin/v1/hooks/${name}/test`, { method: 'POST' })
if (!sent.ok) throw new Error(`${sent.status} ${await sent.text()}`)
for (let next = await dueAt(); next !== null; next = await dueAt()) {
  const pace = JSON.parse(MS_PER_MINUTE)
  await setTimeout(((next - now) / 60_000) * (pace[exercise] ?? pace.others))
  now = next
  await fetch(`${TICK_URL}?at=${now}`, { method: 'POST' })
}
