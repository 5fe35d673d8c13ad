/** Makes reports with any number of resources, as YAML of Puppet's processor `http` and as JSON of an agent. */

import { readFile } from 'node:fs/promises'
import { parseYaml } from '../../worker/yaml/parse.ts'
import { jsonText } from '../../worker/lib/lossless.ts'

const FOLDER = 'test/fixtures/transaction-reports'
/** The first resource of the report, up to its last line. */
const FIRST = /(?<=^resource_statuses:\n)  (\S.*):\n(?:   .*\n)+/m
/** All resources of a report. */
const ALL = /(?<=^resource_statuses:\n)(?: .*\n)+/m

const EVENTS = `    events:
    - audited: false
      property: content
      previous_value: "{sha256}1c3ef9a7c817b4642bcb3cb1456fbce92a6f992df2e1d6ad9d8a2dfb4fdf42f6"
      desired_value: "{sha256}c9dfa2d235f18f92a2227242c8b363c03dbfc0b182b1031ed2509ea5d238445b"
      historical_value:
      message: content changed '{sha256}1c3ef9a7c817b4642bcb' to '{sha256}c9dfa2d235f18f92a222'
      name: content_changed
      status: success
      time: '2026-11-22T11:23:21.471145280+00:00'
      redacted:
      corrective_change: false
`

/** YAML of a real report with its first resource repeated this many times, each with its own title. */
export async function yamlOf(resources: number, changed: boolean): Promise<string> {
  const report = await readFile(`${FOLDER}/unchanged.yaml`, 'utf8')
  const [block = '', name = ''] = FIRST.exec(report) ?? []
  const title = name.replace(/^\w+\[|\]$/g, '')
  const one = changed ? block.replace('    events: []\n', () => EVENTS) : block
  const blocks = Array.from({ length: resources }, (_, index) =>
    one.replaceAll(title, () => `${title}-${index}`),
  )
  // With one character beyond Latin-1, V8 stores the whole text with two bytes per character.
  return report.replace(ALL, () => blocks.join('')).replace('message: ', 'message: 世 ')
}

/** The same report as an agent sends it. */
export const jsonOf = (yaml: string): string => jsonText(parseYaml(yaml).value)
