/** Tells systemd that the launcher is alive, where its unit sets `WatchdogSec`. Source: sd_notify(3), sd_watchdog_enabled(3). */

import { execFile } from 'node:child_process'

/**
 * Node has no datagram sockets of the Unix kind, so systemd's own program sends the message.
 *
 * @param environment as systemd sets it: `WATCHDOG_USEC` are the microseconds that it waits
 * @param onTrouble called with a sentence, once, when the message can't be sent
 * @returns a function that ends it
 */
export function keepWatchdog(
  environment: NodeJS.ProcessEnv,
  onTrouble: (sentence: string) => void,
): () => void {
  const everyMs = Number(environment['WATCHDOG_USEC']) / 2000
  if (!(everyMs > 0) || !environment['NOTIFY_SOCKET']) return () => undefined
  let hasFailed = false
  const notify = (): void =>
    void execFile('systemd-notify', ['WATCHDOG=1'], { env: environment }, (error) => {
      if (error === null || hasFailed) return
      hasFailed = true
      onTrouble(`systemd's watchdog can't be told that the service is alive: ${error.message}`)
    })
  notify()
  const timer = setInterval(notify, everyMs).unref()
  return () => clearInterval(timer)
}
