/** Commands that a hostile tenant tries, whose nodes are named `evil`, and how each is answered where nothing is in the way. */

import { LONGEST_NAME, LONGEST_TITLE } from '../../worker/schema/string-kinds.ts'
import { at, event, NOON, report, resource, type Payload } from '../worker/reports.ts'
import { DAY, failedEvents, reportAt } from './fleet.ts'

export interface HostileCommand {
  /** Parameters of the command's address. */
  readonly parameters: Payload
  readonly body: string
  readonly status: number
}

/** A name as long as it may be, or longer. */
const nameOf = (length: number, serial: number): string => `${serial}-`.padEnd(length, 'x')

const stored = (payload: Payload, status = 200): HostileCommand => ({
  parameters: { command: 'store_report', version: 8, certname: payload['certname'] },
  body: JSON.stringify(payload),
  status,
})

const evil = (serial: number, parts: Payload = {}): Payload =>
  report({
    certname: `evil${serial % 3}`,
    transaction_uuid: null,
    configuration_version: String(serial),
    ...parts,
  })

const eventsNamed = (serial: number, parts: (name: string) => Payload): Payload => ({
  resources: Array.from({ length: 30 }, (_, n) => {
    const { events, ...rest } = parts(`${serial}-${n}-`) as { events?: unknown[] }
    return resource({ resource_title: `/evil/${serial}/${n}`, ...rest, ...(events && { events }) })
  }),
})

/** Makes a command of each kind; `serial` makes its names new. */
export const HOSTILE_COMMANDS: Readonly<Record<string, (serial: number) => HostileCommand>> = {
  'names as long as they may be': (serial) =>
    stored(
      evil(serial, {
        producer: nameOf(LONGEST_NAME, serial),
        code_id: nameOf(LONGEST_NAME, serial),
        ...eventsNamed(serial, (name) => ({
          file: name.padEnd(LONGEST_TITLE, 'x'),
          events: [event({ property: name.padEnd(LONGEST_NAME, 'x'), name: name.padEnd(1000) })],
        })),
      }),
    ),
  'events whose names are too long': (serial) =>
    stored(
      evil(
        serial,
        eventsNamed(serial, (name) => ({ file: name.padEnd(LONGEST_TITLE + 1, 'x') })),
      ),
    ),
  'a producer that is too long': (serial) =>
    stored(evil(serial, { producer: nameOf(LONGEST_NAME + 1, serial) }), 400),
  'more causes than a report may have': (serial) => stored(evil(serial, failedEvents(300))),
  'a run of another century': (serial) =>
    stored(reportAt(`evil${serial % 3}`, NOON - (serial % 2 === 0 ? 1 : -1) * 60_000 * DAY)),
  'the report of another node': (serial) => ({
    ...stored(evil(serial, { certname: 'web0' })),
    parameters: { command: 'store_report', version: 8, certname: `evil${serial % 3}` },
    status: 403,
  }),
  'half a body': (serial) => {
    const whole = stored(evil(serial))
    return { ...whole, body: whole.body.slice(0, -50), status: 400 }
  },
  'lists within lists': (serial) => ({
    ...stored(evil(serial)),
    body: `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    status: 400,
  }),
  'facts of another node': () => ({
    parameters: { command: 'replace_facts', version: 5, certname: 'web1' },
    body: JSON.stringify({
      certname: 'web1',
      environment: 'evil',
      producer: 'evil',
      producer_timestamp: at(DAY),
      values: {},
    }),
    status: 403,
  }),
  'the end of another node': () => ({
    parameters: { command: 'deactivate_node', version: 3, certname: 'web2' },
    body: JSON.stringify({ certname: 'web2', producer_timestamp: at(DAY) }),
    status: 403,
  }),
  'the end of a node of its own': (serial) => ({
    parameters: { command: 'deactivate_node', version: 3, certname: `evil${serial % 3}` },
    body: JSON.stringify({ certname: `evil${serial % 3}`, producer_timestamp: at(serial * 1000) }),
    status: 200,
  }),
}
