/** A small estate with much that is odd: nulls, other scripts, plans, inactive nodes, values of every JSON type. */

import type { Json } from '../../../worker/lib/json.ts'
import type { Command } from '../evaluator/report.ts'
import { Draw } from '../random/draw.ts'
import { reportOf } from './report.ts'

const CERTNAMES = [
  'web1.example.com',
  'web2.example.com',
  'web10.example.com',
  'db1.example.com',
  'db2.example.com',
  'Mail.Example.com',
  'caf\u00e9.example.com',
  'gone1.example.com',
  'gone2.example.com',
  'back.example.com',
  'plans.example.com',
  '*odd_[name]%',
]
const DAY = 86_400_000
const START = Date.UTC(2026, 2, 2, 6)

/** Commands in the order they arrive; the same for the same seed. */
export function estateOf(seed: number, reports: number): Command[] {
  const draw = new Draw(seed)
  const commands = Array.from({ length: reports }, (_, index) => {
    const certname = CERTNAMES[index % CERTNAMES.length]!
    // Some share a millisecond, some come late, and two are beyond any reasonable clock.
    const usual = START + Math.floor(index / 7) * 3_600_000 + draw.pick([0, 0, 1, 250, -DAY])
    const time = index === 40 ? Date.UTC(1969, 6, 20) : index === 60 ? Date.UTC(2250, 0, 1) : usual
    return command('store report', 8, certname, time, reportOf(draw, certname, time))
  })
  const late = START + 40 * DAY
  const again = draw.pick(commands)
  return [
    ...commands.slice(0, reports >> 1),
    // Known by this alone.
    command('deactivate node', 3, 'never.example.com', START),
    command('deactivate node', 3, 'back.example.com', START - 3 * DAY),
    columns('replace facts', 5, 'factual.example.com', START, 'facts only'),
    columns('replace catalog', 9, 'web1.example.com', START + DAY, 'production'),
    columns('replace facts', 5, 'web1.example.com', START + DAY, 'stale facts'),
    columns('replace facts', 5, 'web1.example.com', START, 'older facts'),
    columns('replace catalog', 9, 'web1.example.com', START + DAY, 'catalog of the same time'),
    ...commands.slice(reports >> 1),
    again,
    command('deactivate node', 3, 'gone1.example.com', late),
    command('deactivate node', 3, 'gone2.example.com', late + 1),
    // Older than the node's reports, so it changes nothing.
    command('deactivate node', 3, 'db1.example.com', START - 9 * DAY),
  ]
}

function command(
  name: Command['command'],
  version: number,
  certname: string,
  time: number,
  payload: Readonly<Record<string, Json>> = {},
): Command {
  const producer_timestamp = new Date(time).toISOString()
  return {
    command: name,
    version,
    certname,
    producer_timestamp,
    payload: { certname, producer_timestamp, ...payload },
  }
}

const columns = (
  name: 'replace facts' | 'replace catalog',
  version: number,
  certname: string,
  time: number,
  environment: string,
): Command =>
  command(
    name,
    version,
    certname,
    time,
    name === 'replace facts'
      ? { environment, values: { kernel: 'Linux' }, producer: 'puppet-a' }
      : {
          environment,
          producer: 'puppet-a',
          version: '1',
          transaction_uuid: null,
          catalog_uuid: null,
          code_id: null,
          job_id: null,
          resources: [],
          edges: [],
        },
  )
