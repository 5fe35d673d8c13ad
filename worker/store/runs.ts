/**
 * Packs the last runs of a node into its row, newest first. An update adds a run in SQL, so that concurrent
 * submissions are safe. A run is 7 bytes, big-endian: its producer timestamp in s since 1970 (4), its
 * state (1, states.ts), its duration in s (2; 65535 or more).
 */

import { formatTimestamp } from '../lib/time.ts'
import { decodeState, type RunState } from '../schema/states.ts'
import { hexOf, millisecondOfKey, unhexOf } from '../sql/encoding.ts'

export const MOST_RUNS = 32
export const RUN_BYTES = 7
const LAST_SECOND = 0xffff_ffff
const LONGEST = 0xffff

/** SQL for the seconds of a report's key. */
const secondsOf = (report: string): string =>
  `max(0, min(${LAST_SECOND}, ${millisecondOfKey(`${report}.id`)} / 1000))`

/** SQL for a run as 14 hex digits; `report` is an alias of a row of `reports`. */
export const runOf = (report: string): string =>
  `printf('%08x%02x%04x', ${secondsOf(report)}, ${report}.state, max(0, min(${LONGEST}, (${report}.end_time - ${report}.start_time + 500) / 1000)))`

/** SQL for the runs of the node with id `node`, from its reports. */
export const runsOfNode = (node: string): string =>
  unhexOf(`(select group_concat(run, '') from (
  select ${runOf('x')} as run from reports x indexed by reports_node
  where x.node = ${node} and x.type = 0 order by x.id desc limit ${MOST_RUNS}))`)

/** The first digit of each run that another one follows, as rows: a table of constants, which D1 doesn't count as read. */
const FIRST_DIGITS = `values ${Array.from({ length: MOST_RUNS - 1 }, (_, place) => `(${1 + place * 2 * RUN_BYTES})`).join(', ')}`
const TIME_DIGITS = 8

/** SQL for the seconds of a report, and those at a digit of the runs of a node, in digits. */
const digitsOf = (report: string): string => `printf('%08X', ${secondsOf(report)})`
const digitsAt = (node: string): string =>
  `substr(${hexOf(`${node}.runs`)}, column1, ${TIME_DIGITS})`

/**
 * SQL for the runs of the row `node` of `nodes` after adding the agent report `report`. The newest run comes
 * first. A report that is there already, or is older than a full strip, changes nothing. Any other late report
 * gets its place among the runs, which retention may have deleted; where one is of the same second, they are
 * read from the reports again.
 */
export const runsWith = (report: string, node: string): string => `case
  when ${node}.newest is null or ${report}.id > ${node}.newest
    then cast(${unhexOf(runOf(report))} || coalesce(substr(${node}.runs, 1, ${(MOST_RUNS - 1) * RUN_BYTES}), '') as blob)
  when ${report}.id = ${node}.newest then ${node}.runs
  when length(${node}.runs) = ${MOST_RUNS * RUN_BYTES}
    and ${digitsOf(report)} < ${hexOf(`substr(${node}.runs, -${RUN_BYTES}, 4)`)} then ${node}.runs
  when exists (select 1 from (${FIRST_DIGITS}) where ${digitsAt(node)} = ${digitsOf(report)}) then ${runsOfNode(`${node}.id`)}
  else (select cast(substr(${node}.runs, 1, later) || ${unhexOf(runOf(report))} || substr(${node}.runs, later + 1, ${(MOST_RUNS - 1) * RUN_BYTES} - later) as blob)
    from (select ${RUN_BYTES} * count(*) as later from (${FIRST_DIGITS}) where ${digitsAt(node)} > ${digitsOf(report)})) end`

/** SQL for the seconds of the run at a digit of `strip`. */
const secondsAt = (digit: string): string =>
  `(('0x' || substr(strip, ${digit}, ${TIME_DIGITS})) ->> '$')`

/**
 * SQL for the usual time between two runs of a node, in ms: the median of the times between the runs of its strip. Null with
 * fewer than two runs. Reads up to 31 rows of a sorter, so it is stored with the runs.
 *
 * @param hex SQL for the digits of the strip, newest run first
 */
export const usualIntervalOf = (hex: string): string =>
  `(select ((ordered ->> ((count - 1) / 2)) + (ordered ->> (count / 2))) * 500
    from (select json_group_array(distance order by distance) as ordered, count(*) as count
      from (select ${secondsAt('column1')} - ${secondsAt(`column1 + ${2 * RUN_BYTES}`)} as distance
        from (select ${hex} as strip) cross join (${FIRST_DIGITS}) where column1 + ${2 * RUN_BYTES} <= length(strip))))`

/** SQL that sets what a row of `nodes` has of its runs from its reports. */
export const SET_RUNS = `runs = ${runsOfNode('nodes.id')},
  usual = ${usualIntervalOf(hexOf(runsOfNode('nodes.id')))}`

/** A run of a strip: its time, cut to the second, its state, and its duration in seconds. */
export interface PackedRun extends RunState {
  readonly time: string
  readonly seconds: number
}

const DIGITS = 2 * RUN_BYTES

/** The newest `most` runs, oldest first, from the hex digits of a strip. @param read reads a run from its first digit on */
function unpack<Run>(hex: string, most: number, read: (from: number) => Run): Run[] {
  const runs: Run[] = []
  for (let from = Math.min(most * DIGITS, hex.length) - DIGITS; from >= 0; from -= DIGITS) {
    runs.push(read(from))
  }
  return runs
}

const numberIn = (hex: string, from: number, digits: number): number =>
  parseInt(hex.slice(from, from + digits), 16)
const stateIn = (hex: string, from: number): RunState => decodeState(numberIn(hex, from + 8, 2))

/** The states of the runs; equal states are one object. */
export const unpackStates = (hex: string, most: number): RunState[] =>
  unpack(hex, most, (from) => stateIn(hex, from))

export const unpackRuns = (hex: string, most: number): PackedRun[] =>
  unpack(hex, most, (from) => {
    const run = stateIn(hex, from)
    const time = formatTimestamp(numberIn(hex, from, 8) * 1000)
    return { ...run, seconds: numberIn(hex, from + 10, 4), time }
  })
