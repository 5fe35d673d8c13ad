/** When messages are made and delivered. */

/** The trigger in `wrangler.toml` that runs it. */
export const NOTIFY_CRON = '*/5 * * * *'
