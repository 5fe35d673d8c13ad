/** Six stories told to Fleet: at first sight it says what burns, since when, after which deploy, on how many of how many nodes. */

import { expect, it } from 'vitest'
import { reportsOf, STORIES } from '../stories/stories.ts'
import { storeInTime } from './fleets.ts'
import { page } from './page.ts'
import { NOON } from './reports.ts'

interface Told {
  /** Nodes of each role are divided by this: few reports tell the same story. */
  readonly divisor: number
  /** The first sentence, and the line below it. */
  readonly lead: string
  readonly sub?: RegExp
  /** Rows of what else fails, and of what is worth a look. */
  readonly also?: readonly RegExp[]
  readonly worth?: readonly RegExp[]
}

const NEW_CAUSE = /^New cause, first seen (?:now|\d+ \w+ ago)\. Not acknowledged\.$/

const TOLD: { readonly [Name in keyof typeof STORIES]: Told } = {
  certificates: {
    divisor: 40,
    lead: 'Since 09:02, 7 of 13 nodes fail: certificate verify failed (certificate has expired): [certificate has expired for CN=puppet-b.example.com].',
    sub: NEW_CAUSE,
  },
  // The mirror is back; what its outage left behind is not.
  mirror: {
    divisor: 60,
    lead: 'Since 12:00, 1 of 11 nodes fails at Package[openssl]: error: rpmdb: BDB0113 Thread/process 2119/140 failed: BDB1507 Thread died in Berkeley DB library.',
    sub: NEW_CAUSE,
  },
  windows: {
    divisor: 21,
    lead: 'Since 26 Feb 11:48, 1 of 15 nodes fails at Dsc_website[intranet]: Failure to successfully start the website \'intranet\'. Error: "The process cannot access the file because it is being used by another process."',
    sub: /^First seen 4 d ago\. Not acknowledged\.$/,
    also: [
      /^1failing Unable to resolve dependency '7zip\.install \(≥ 22\.1\)'\. began 4 d ago · Package\[7zip\] win-002 /,
      /^1failing Registry_value\[HKLM\\SOFTWARE\\Policies\\Corp\\Proxy\]: Access is denied\. began 4 d ago win-003 /,
    ],
  },
  noop: {
    divisor: 60,
    lead: 'Nothing fails on 9 nodes, after 28 runs in the last 24 hours.',
    // The fifth node had its first such run a day ago to the second.
    worth: [
      /^3 changes have been pending for more than a day; on app-001.* since 1 Mar .* 4 nodes$/,
    ],
  },
  server: {
    divisor: 60,
    lead: 'Since 11:35, all 6 nodes fail: Failed to open TCP connection to puppet.example.com:8140 (Connection refused - connect(2) for "puppet.example.com" port 8140).',
    sub: NEW_CAUSE,
  },
  drift: {
    divisor: 150,
    lead: 'Nothing fails on 14 nodes, after 43 runs in the last 24 hours.',
    worth: [
      /^File\[\/etc\/resolv\.conf\] is corrected again and again: 5 times in 7 days, 5 for each node; first seen 23 Feb .* 1 node$/,
    ],
  },
}

it.each(Object.keys(TOLD) as (keyof typeof TOLD)[])('%s', async (environment) => {
  const { divisor, lead, sub, also = [], worth = [] } = TOLD[environment]
  const size = { now: NOON, environment, divisor, daily: 1 / 3, recent: 3 }
  await storeInTime(...reportsOf(STORIES[environment], size))
  const { texts } = await page(`/console?env=${environment}`)
  expect(await texts('.incident .lead')).toEqual([lead])
  const below = {
    '.incident .sub': sub === undefined ? [] : [sub],
    '.causes > li': also,
    '.worth > li': worth,
  }
  for (const [selector, lines] of Object.entries(below))
    expect(await texts(selector)).toEqual(
      lines.map((line) => expect.stringMatching(line) as string),
    )
})
