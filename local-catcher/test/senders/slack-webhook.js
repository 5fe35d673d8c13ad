// @slack/webhook, with the retries and the time-out that it offers.
import { IncomingWebhook } from '@slack/webhook'

const webhook = new IncomingWebhook(process.env.LOCAL_CATCHER_URL, {
  timeout: 5000,
  retryConfig: { retries: 3 },
})
await webhook.send({ text: 'Deployment finished' })
