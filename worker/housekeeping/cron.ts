/** Apart from the work itself, which the launcher of `npm start` does not read. */

/** The trigger in `wrangler.toml` that starts housekeeping. */
export const HOUSEKEEPING_CRON = '13 * * * *'
