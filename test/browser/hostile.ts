/** A hundred texts that would become something else where they were not escaped, and a report that has one in every field. */

import type { Browser } from 'playwright-core'
import { open, type Say } from './pages.ts'
import { submitStory, type StoryReport } from './story.ts'

const OPENERS = ['', '"', "'", '">', "'>", '-->', '</title>', '</textarea>', '</pre>', '</script>']
const PAYLOADS = [
  '<script>document.body.dataset.broken=1</script>',
  '<img src=x onerror="document.body.dataset.broken=1">',
  '<svg onload="document.body.dataset.broken=1">',
  '<b class="broken">',
  '<style>*{display:none}</style>',
  '<iframe srcdoc="x"></iframe>',
  'javascript:alert(1)',
  '&lt;b&gt;&amp;&#x3c;',
  '\u202e\u0007\ufeff{{7*7}}${7*7}',
  '<a href="https://elsewhere.example">',
]

const HOSTILE: readonly string[] = OPENERS.flatMap((opener) =>
  PAYLOADS.map((payload) => `${opener}${payload}`),
)

/** @param n makes the run another one */
function hostileReport(text: string, n: number): StoryReport {
  const time = new Date(Date.now() - 60_000 - n * 100).toISOString()
  const place = { file: `/code/modules/${text}`, line: 1 }
  return {
    // No name may have control characters: such a report is refused.
    certname: `n${n} ${text.replaceAll(/\p{Cc}/gu, '')}`,
    puppet_version: text,
    report_format: 12,
    configuration_version: text,
    start_time: time,
    end_time: time,
    producer_timestamp: time,
    environment: text,
    producer: text,
    status: 'failed',
    type: 'agent',
    noop: false,
    noop_pending: false,
    corrective_change: false,
    transaction_uuid: null,
    catalog_uuid: null,
    code_id: text,
    job_id: null,
    cached_catalog_status: 'not_used',
    metrics: [{ category: 'time', name: text, value: 1 }],
    logs: [{ ...place, level: 'err', message: text, source: text, tags: [text], time }],
    resources: [
      {
        skipped: false,
        timestamp: time,
        resource_type: 'File',
        resource_title: text,
        ...place,
        containment_path: ['Stage[main]', text, `File[${text}]`],
        corrective_change: false,
        events: [
          {
            status: 'failure',
            timestamp: time,
            property: text,
            name: text,
            old_value: text,
            new_value: text,
            message: text,
            corrective_change: false,
          },
        ],
      },
    ],
  }
}

/** Elements that a text has made, and scripts of it that ran. Text, since Node's types know no document. */
const COUNT_MADE = `document.querySelectorAll(
  '.broken, img, iframe, body style, body script, a[href^="https:"], a[href^="javascript:"]',
).length + Number(document.body.dataset.broken ?? 0)`

/** Sends such reports, and looks at every page that shows them. */
export async function hostile(browser: Browser, url: string, say: Say): Promise<void> {
  await submitStory(url, HOSTILE.map(hostileReport))
  const { context, page, heard } = await open(browser)
  const wrong: string[] = []
  const reports = await (
    await fetch(`${url}/console/reports.json?since=1h`)
  ).json<
    {
      hash: string
      certname: string
    }[]
  >()
  const evil = reports.filter(({ certname }) => /^n\d+ /.test(certname))
  const paths = [
    '/console?since=1h',
    '/console?layout=wall',
    '/console/causes',
    '/console/nodes',
    '/console/reports',
    '/console/changes',
    ...evil.flatMap(({ hash }) => `/console/reports/${hash}`),
    ...evil.slice(0, 20).map(({ certname }) => `/console/nodes/${encodeURIComponent(certname)}`),
    ...HOSTILE.slice(0, 30).map((text) => `/console/search?q=${encodeURIComponent(text)}`),
  ]
  for (const path of paths) {
    await page.goto(url + path)
    const made = await page.evaluate<number>(COUNT_MADE)
    if (made > 0) wrong.push(`${path}: ${made} elements made`)
  }
  say(`${HOSTILE.length} hostile texts in every field, ${paths.length} pages`, [...wrong, ...heard])
  await context.close()
}
