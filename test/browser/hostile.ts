/** A hundred texts that would become something else where they were not escaped, and a report that has one in every field. */

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

export const HOSTILE: readonly string[] = OPENERS.flatMap((opener) =>
  PAYLOADS.map((payload) => `${opener}${payload}`),
)

/** @param n makes the run another one */
export function hostileReport(text: string, n: number): Record<string, unknown> {
  const time = new Date(Date.now() - 60_000 - n * 100).toISOString()
  const place = { file: `/code/modules/${text}`, line: 1 }
  return {
    certname: `n${n} ${text}`,
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
