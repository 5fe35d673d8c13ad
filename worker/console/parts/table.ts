/** Tables, declared by their columns: a heading, a kind and a cell, or the name of a field that shows itself. */

import { short } from '../../lib/code-version.ts'
import type { Json } from '../../lib/json.ts'
import { isNumber, jsonText } from '../../lib/lossless.ts'
import { nodeAddress, reportAddress } from '../address.ts'
import { capital, duration, number } from '../format.ts'
import { each, html, raw, type Content, type Html } from '../html.ts'
import { nodeNames } from './node-name.ts'
import { when } from './time.ts'

/**
 * The heading of a column, its kind, and the cell of a row. A heading after `~` is for screen readers only. The kind holds classes: `name` names its row on one
 * line and `row` on several, `n` is a number, `pic` a picture. With `labelled`, rows
 * that narrow windows lay out as cards say the heading before the cell. `said` is the one cell that is read aloud in a table
 * of links.
 */
export type TableColumn<Row> = readonly [
  heading: string,
  kind: string,
  cell: (row: Row) => Content | readonly Html[],
]

interface Around {
  readonly now: number
  readonly nameOf: (certname: string) => Html
}

type FieldColumn = readonly [
  heading: string,
  kind: string,
  cell: (value: never, around: Around) => Content,
]

/** The fields that tables show alike; any other one is a number. */
const FIELDS: Readonly<Record<string, FieldColumn>> = {
  certname: ['Node', 'name', (certname: string, { nameOf }) => nameOf(certname)],
  environment: ['Environment', 'env labelled', (name: string) => cut(name)],
  agent_version: ['Agent', 't minor', (version: string) => version],
  code_version: ['Code', 'code hide', (version: string) => short(version)],
  month: ['Month', 'name', (month: string) => month],
  intentional: ['Changed', 'n labelled', number],
  corrective: ['Drift corrected', 'n labelled', number],
  pending: ['Pending (noop)', 'n labelled', number],
  time: ['When', 'n labelled', (time: string, { now }) => when(time, now)],
  seconds: ['Took', 'n labelled', (seconds: number) => duration(seconds)],
  p50: ['Median', 'n labelled', (seconds: number) => duration(seconds)],
  p95: ['p95', 'n labelled', (seconds: number) => duration(seconds)],
}

interface Looks {
  /** In ms, where a column shows ages. */
  readonly now?: number
  /** Its classes. `cards`: narrow windows lay its rows out as cards. */
  readonly look?: string
  readonly hasHead?: boolean
  /**
   * Whether each row is one link, whose name says what the row does: it is read aloud as such, and not as a table, of which
   * one would hear a hundred rows of eight cells. What else leads somewhere is for the pointer.
   */
  readonly ofLinks?: boolean
}

/** @param columns the name of a field is the column that each table has for it */
export function table<Row extends object>(
  rows: readonly Row[],
  columns: readonly (TableColumn<Row> | (keyof Row & string))[],
  { now = 0, look = 'list cards', hasHead = true, ofLinks = false }: Looks = {},
): Html {
  const named = columns.some((column) => column === 'certname') ? rows : []
  const around = { now, nameOf: nodeNames(named as readonly { readonly certname: string }[]) }
  const shown = columns.map((column) =>
    typeof column === 'string' ? columnOf<Row>(column, around) : column,
  )
  const cells = shown.map((column) => cellsOf(column, ofLinks))
  const head = hasHead
    ? html`<thead>
        <tr>
          ${each(shown, (column) => headingOf(column, ofLinks))}
        </tr>
      </thead>`
    : ''
  return html`<table${look && html` class="${look}"`}${ofLinks && html` role="none"`}>
    ${head}<tbody>
      ${each(
        rows,
        (row) =>
          html`<tr>
            ${each(cells, (cellOf) => cellOf(row))}
          </tr>`,
      )}
    </tbody>
  </table>`
}

function columnOf<Row extends object>(name: keyof Row & string, around: Around): TableColumn<Row> {
  const valueOf = (row: Row) => (row[name] ?? null) as Json
  const field = FIELDS[name]
  if (field !== undefined) {
    const [heading, kind, cell] = field
    return [heading, kind, (row) => (valueOf(row) === null ? '' : cell(row[name] as never, around))]
  }
  return [capital(name), 'n labelled', (row) => number(Number(valueOf(row)))]
}

/** Classes of cells that their heading has, too. */
const OF_HEADINGS = ['n', 'hide', 'broad']

const classOf = (names: readonly string[]): Html =>
  names.length === 0 ? '' : html` class="${names.join(' ')}"`

const classesIn = (kind: string): string[] =>
  kind.split(' ').filter((name) => !['', 'row', 'labelled', 'said'].includes(name))

const UNHEARD = html` aria-hidden="true"`

function headingOf<Row>([heading, kind]: TableColumn<Row>, ofLinks: boolean): Html {
  const classes = classesIn(kind).filter((name) => OF_HEADINGS.includes(name))
  return html`<th scope="col" ${classOf(classes)}${ofLinks && UNHEARD}>
    ${heading.startsWith('~') ? html`<span class="sr">${heading.slice(1)}</span>` : heading}
  </th>`
}

/** The cells of a column. What all of them begin and end with is made once: a page has hundreds. */
function cellsOf<Row>(
  [heading, kind, cell]: TableColumn<Row>,
  ofLinks: boolean,
): (row: Row) => Html {
  const classes = classOf(classesIn(kind))
  const label = kind.includes('labelled') ? html` data-l="${heading.toLowerCase()}"` : ''
  const unheard = ofLinks && !/\bsaid\b/.test(kind) ? UNHEARD : ''
  const [begin, end] = /\b(?:name|row)\b/.test(kind)
    ? [html`<th scope="row" ${classes}${unheard}>`, raw('</th>')]
    : [html` <td${classes}${label}${unheard}>`, raw('</td>')]
  return (row) => html`${begin}${cell(row)}${end}`
}

const LINKS: Readonly<Record<string, (value: string) => string>> = {
  certname: nodeAddress,
  hash: reportAddress,
  report: reportAddress,
  latest_report_hash: reportAddress,
}

const LONGEST_CELL = 160

/** A value of any field: names and hashes lead to their pages. @param now in ms */
export function valueCell(field: string, value: Json, now: number): Content {
  if (value === null) return html`<span class="muted">null</span>`
  if (isNumber(value)) return jsonText(value)
  if (typeof value !== 'string') {
    const text = jsonText(value)
    return html`<span class="mono"
      >${text.slice(0, LONGEST_CELL)}${text.length > LONGEST_CELL && '…'}</span
    >`
  }
  const href = Object.hasOwn(LINKS, field) ? LINKS[field]!(value) : null
  if (href !== null)
    return html`<a href="${href}">${/^[0-9a-f]{40}$/.test(value) ? value.slice(0, 8) : value}</a>`
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? when(value, now) : value
}

/** A name that a column may have to shorten, with the whole in its title. */
export const cut = (name: Content): Html => html`<span class="cut" title="${name}">${name}</span>`
