/**
 * Runs in a plain Node with node:sqlite: gives every node of a database further runs, as copies of reports that are there.
 * A copy has another node's content at this node's time, some steps before its own report, so that nodes fail and change
 * now and then. Whatever depends on a report's times or name is made by the code that the service uses for it.
 *
 * `copy-reports.mjs FILE COPIES [between]`: `between` puts unchanged runs three minutes apart between those that are there, so
 * that reports are many more, and failures, changes and the time they take are the same.
 */

import { reportHash } from '../../worker/report/hash.ts'
import { isFailedCode } from '../../worker/schema/states.ts'
import { hourOfKey, uuidTextOf } from '../../worker/sql/encoding.ts'
import { SET_RUNS } from '../../worker/store/runs.ts'
import { COME_ON_TIME, ON_ITS_WAY_MS } from '../on-time.ts'
import { progressOf } from '../progress.ts'

/** The used part of node:sqlite, which Node 20's types lack. */
interface Sqlite {
  readonly DatabaseSync: new (file: string) => {
    exec(sql: string): void
    function(name: string, options: object, work: (...values: never[]) => unknown): void
    prepare(sql: string): {
      run(...params: readonly number[]): unknown
      all(...params: readonly number[]): readonly Readonly<Record<string, string>>[]
    }
  }
}
const module = 'node:sqlite'
const { DatabaseSync } = (await import(module)) as Sqlite

const [file = '', copies = '0', place = 'before'] = process.argv.slice(2)
const isBetween = place === 'between'
/** Longer than the runs of all nodes together take, so that no two reports get the same key; those between have the copy in theirs. */
const STEP_MS = (isBetween ? 3 : 31) * 60_000
/** Keys of one ms that each copy has, of the 1024 there are. */
const KEYS_PER_COPY = isBetween ? 64 : 0
/** A prime, so that each copy of a node has another node's content. */
const STRIDE = 7919

const database = new DatabaseSync(file)
database.exec('pragma synchronous = off; pragma cache_size = -200000; pragma temp_store = memory')
database.function(
  'report_hash',
  { deterministic: true, varargs: true },
  (...values: readonly (string | number | null)[]) => {
    const [certname, configurationVersion, end, produced, agentVersion, format, start, uuid] =
      values
    const hash = reportHash({
      certname: String(certname),
      configurationVersion: String(configurationVersion),
      endTime: Number(end),
      producerTimestamp: Number(produced),
      agentVersion: String(agentVersion),
      reportFormat: Number(format),
      startTime: Number(start),
      transactionUuid: uuid as string | null,
    })
    return new Uint8Array(Buffer.from(hash, 'hex'))
  },
)

const columnsOf = (table: string): string[] =>
  database
    .prepare(`pragma table_info(${table})`)
    .all()
    .map(({ name }) => name!)

/** SQL that inserts the rows of a table's copies. `m` is the row of the copy, `r` the row that is copied. */
function insertCopies(table: string, key: string, made: Readonly<Record<string, string>>): string {
  const columns = columnsOf(table)
  const values = columns.map((name) => made[name] ?? `r.${name}`)
  return `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
    from made m cross join ${table} r on r.${key} = m.source order by m.id`
}

const HASH = `report_hash(n.certname, r.configuration_version, r.end_time + m.shift, m.time, version.value,
  r.report_format, r.start_time + m.shift, ${uuidTextOf('r.transaction_uuid')})`

database.exec(COME_ON_TIME)
database.exec(`create temp table base as
  select row_number() over (order by id) - 1 as number, id, node from reports where producer_timestamp is null`)
database.exec(`create temp table source as
  select row_number() over (order by id) - 1 as number, id from reports where producer_timestamp is null
    and (${isBetween ? 'state = 0 and id not in (select report from events)' : 'true'})`)
database.exec('create unique index temp.source_number on source (number)')
database.exec(
  'create temp table made (id integer primary key, source integer, node integer, time integer, shift integer)',
)

const statements = [
  insertCopies('reports', 'id', {
    id: 'm.id',
    node: 'm.node',
    hash: HASH.replace('n.certname', '(select certname from nodes n where n.id = m.node)').replace(
      'version.value',
      '(select value from strings version where version.id = r.agent_version)',
    ),
    start_time: 'r.start_time + m.shift',
    end_time: 'r.end_time + m.shift',
    receive_time: `m.time + ${ON_ITS_WAY_MS}`,
  }),
  insertCopies('events', 'report', { report: 'm.id', timestamp: 'r.timestamp + m.shift' }),
  insertCopies('long_values', 'report', { report: 'm.id' }),
  insertCopies('body_parts', 'report', { report: 'm.id' }),
  insertCopies('report_causes', 'report', { report: 'm.id' }),
]

const copied = progressOf('copies of each report', Number(copies))
for (let copy = Number(copies); copy > 0; copy--) {
  database.exec('begin; delete from made')
  database
    .prepare(
      `insert into made select (b.id >> 10) * 1024 - ?1 * 1024 + (b.id & 1023) + ?3, s.id, b.node, (b.id >> 10) - ?1,
      (b.id >> 10) - ?1 - (s.id >> 10) from base b cross join source s
      on s.number = (b.number + ?2) % (select count(*) from source)`,
    )
    .run(copy * STEP_MS, copy * STRIDE, copy * KEYS_PER_COPY)
  for (const sql of statements) database.exec(sql)
  database.exec('commit')
  copied(Number(copies) - copy + 1)
}

database.exec(`begin;
  update causes set first = min(first, coalesce((select min(report) >> 10 from report_causes where cause = causes.id), first));
  update code_versions set first = first - ${isBetween ? 0 : (Number(copies) + 1) * STEP_MS};
  insert or ignore into open_hours (hour) select distinct ${hourOfKey('id')} from reports;
  update nodes set ${SET_RUNS}, good = (select r.id from reports r indexed by reports_node
    where r.node = nodes.id and r.type = 0 and not ${isFailedCode('r.state')} order by r.id desc limit 1);
  commit;`)
database.exec('pragma wal_checkpoint(truncate)')
