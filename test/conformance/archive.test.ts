/** `/admin/v1/archive`: what a real PuppetDB 7.12.1 exported comes in, what goes out is what `tar` reads, and bad entries cost themselves. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { ABOUT_CATALOGS, withReportEnvironment } from './catalog-environment.ts'
import type { Command } from './evaluator/report.ts'
import { OWN_FIELDS } from './documented.ts'
import { judge, type Answered } from './judge.ts'
import { ask, forEach, load, type Request } from './server.ts'
import { emptyService } from './service.ts'
import { ROOT } from '../local/local-service.ts'

const FIXTURES = join(ROOT, 'test/fixtures/conformance')
const EXPORTED = readFileSync(join(FIXTURES, 'puppetdb-export.tgz'))
const METADATA = { timestamp: '2026-03-02T12:00:00.000Z', command_versions: { store_report: 8 } }
const METADATA_PATH = 'puppetdb-bak/export-metadata.json'

const folder = mkdtempSync(join(tmpdir(), 'archive-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A service that is stopped when the test is over. */
async function service(): Promise<string> {
  const { base, stop } = await emptyService()
  onTestFinished(stop)
  return base
}

const linesOf = <Line>(name: string): Line[] =>
  readFileSync(join(FIXTURES, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

const exported = async (base: string, query = ''): Promise<Buffer> => {
  const response = await fetch(`${base}/admin/v1/archive${query}`)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

/** Imports as `puppet db import` and `curl -F archive=@…` do. */
async function imported(base: string, archive: Uint8Array, accept = '*/*') {
  const body = new FormData()
  body.set('note', 'a field before')
  body.set('archive', new Blob([new Uint8Array(archive)]), 'export.tgz')
  return answerOf(
    await fetch(`${base}/admin/v1/archive`, { method: 'POST', headers: { accept }, body }),
  )
}

async function answerOf(response: Response) {
  return { status: response.status, text: await response.text() }
}
const parsed = ({ text }: { text: string }): Record<string, unknown> =>
  JSON.parse(text) as Record<string, unknown>

let packed = 0
/** Packs files with the system's tar, in this order. */
function pack(
  files: readonly (readonly [path: string, content: string])[],
  format = '--format=pax',
): Buffer {
  const at = join(folder, String(packed++))
  for (const [path, content] of files) {
    mkdirSync(dirname(join(at, path)), { recursive: true })
    writeFileSync(join(at, path), content)
  }
  const paths = [...new Set(files.map(([path]) => path))]
  return execFileSync('tar', ['-cz', format, '-C', at, ...paths], { maxBuffer: 1e8 })
}

/** What the system's tar takes out of an archive, in the order of the archive. */
function unpack(archive: Buffer): Map<string, string> {
  const at = join(folder, String(packed++))
  mkdirSync(at)
  const words = ['-xzv', '--quoting-style=literal', '-C', at]
  const paths = execFileSync('tar', words, { input: archive, encoding: 'utf8' })
  return new Map(
    paths
      .split('\n')
      .filter(Boolean)
      .map((path) => [path, readFileSync(join(at, path), 'utf8')]),
  )
}

const reportOf = (certname: string, parts: Record<string, Json> = {}): string =>
  JSON.stringify({
    certname,
    puppet_version: '8.10.0',
    report_format: 12,
    configuration_version: '1',
    start_time: '2026-03-02T11:59:50.000Z',
    end_time: '2026-03-02T11:59:59.500Z',
    producer_timestamp: '2026-03-02T12:00:00.000Z',
    environment: 'production',
    producer: null,
    status: 'unchanged',
    noop: false,
    noop_pending: false,
    corrective_change: null,
    transaction_uuid: null,
    catalog_uuid: null,
    code_id: null,
    cached_catalog_status: null,
    metrics: [],
    logs: [],
    resources: [],
    ...parts,
  })
const entry = (certname: string, digit = 'a'): string =>
  `puppetdb-bak/reports/${certname}-${digit.repeat(40)}.json`
const metadata = [METADATA_PATH, JSON.stringify(METADATA)] as const

const commands = linesOf<Command>('commands.ndjson')
const isReport = (command: string): boolean => /^store.report$/.test(command)
/** One of the 38 was sent twice. */
const REPORTS = 37

describe("PuppetDB's own export", () => {
  let base: string
  let stop: () => Promise<void>
  afterAll(() => stop?.())
  beforeAll(async () => {
    ;({ base, stop } = await emptyService())
    expect(parsed(await imported(base, EXPORTED))).toEqual({
      ok: true,
      entries: REPORTS,
      stored: REPORTS,
      duplicates: 0,
      other: 0,
      ignored: 0,
      refused: 0,
      problems: [],
    })
    // An archive tells nothing of nodes that were deactivated; the fixture holds no facts and catalogs.
    await load(
      base,
      commands.filter(({ command }) => !isReport(command)),
    )
  })

  it('gives PuppetDB’s answer to every recorded query after the import', async () => {
    const answers = new Map(
      linesOf<Answered & { id: string }>('answers.ndjson').map((one) => [one.id, one]),
    )
    const questions = linesOf<Request & { id: string; order: readonly string[] | null }>(
      'queries.ndjson',
    )
    expect(questions.length).toBeGreaterThan(200)
    const differences = await forEach(questions, 4, async (question) => {
      const answer = await ask(base, question)
      const recorded = answers.get(question.id)!
      const expected = { ...recorded, body: withReportEnvironment(recorded.body) }
      const difference = judge(expected, answer, question.order)
      return difference === (ABOUT_CATALOGS[question.id] ?? null)
        ? []
        : [`${question.id}: ${difference}`]
    })
    expect(differences.flat()).toEqual([])
  })

  it('changes nothing when it is imported again', async () => {
    const before = await ask(base, { method: 'GET', path: '/query/v4/reports', params: {} })
    expect(parsed(await imported(base, EXPORTED))).toMatchObject({ stored: 0, duplicates: REPORTS })
    const after = await ask(base, { method: 'GET', path: '/query/v4/reports', params: {} })
    expect(judge(before, after, null, { exact: true })).toBeNull()
  })
})

describe('an export of this service', () => {
  let base: string
  let stop: () => Promise<void>
  afterAll(() => stop?.())
  beforeAll(async () => {
    ;({ base, stop } = await emptyService())
    await load(base, commands)
  })

  it('has the file name and media type of PuppetDB’s export', async () => {
    const { headers } = await fetch(`${base}/admin/v1/archive`)
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename=puppetdb-export-\d{4}-\d\d-\d\dT[\d:.]+Z\.tgz$/,
    )
  })

  it("has the same entries with the same keys as PuppetDB's, in a tar that tar reads", async () => {
    const [ours, theirs] = [unpack(await exported(base)), unpack(EXPORTED)]
    expect([...ours.keys()][0]).toBe(METADATA_PATH)
    expect(Object.keys(JSON.parse(ours.get(METADATA_PATH)!) as object)).toEqual([
      'timestamp',
      'command_versions',
    ])
    expect(ours.size).toBe(theirs.size)
    const shapeOf = (archive: Map<string, string>): unknown =>
      [...archive]
        .filter(([path]) => path !== METADATA_PATH)
        .map(([path, text]) => {
          const report = JSON.parse(text) as { certname: string; resources: object[] }
          const keys = [report, ...report.resources].map((one) =>
            Object.keys(one)
              .filter((key) => !OWN_FIELDS.has(key))
              .sort()
              .join(),
          )
          return [path.replace(/-[0-9a-f]{40}\.json$/, ''), ...new Set(keys)]
        })
        .sort()
    expect(shapeOf(ours)).toEqual(shapeOf(theirs))
  })

  it('gives the same reports when it is imported elsewhere, including those of plans and of inactive nodes', async () => {
    const other = await service()
    expect(parsed(await imported(other, await exported(base)))).toMatchObject({
      ok: true,
      stored: REPORTS,
    })
    const everything: Request = {
      method: 'GET',
      path: '/query/v4/reports',
      params: { query: '["=","type","any"]' },
    }
    const [here, there] = await Promise.all([ask(base, everything), ask(other, everything)])
    expect(judge(here, there, null)).toBeNull()
    expect(here.body).toHaveLength(REPORTS)
  })

  it('accepts a condition, so that it can be made in parts', async () => {
    const { certname } = commands.find(({ command }) => isReport(command))!
    const query = `?query=${encodeURIComponent(JSON.stringify(['=', 'certname', certname]))}`
    const paths = [...unpack(await exported(base, query)).keys()].slice(1)
    expect(paths).not.toEqual([])
    expect(paths.filter((path) => !path.includes(`/${certname}-`))).toEqual([])
  })

  it.each([
    ['anonymization_profile=full', /not anonymized here.*'anonymization_profile'.*not 'full'/],
    ['anonymization=low', /not anonymized here/],
    ['anonymisation_profile=none', /Unsupported.*Did you mean 'anonymization_profile'\?/],
    ['query=["extract","certname"]', /takes a condition/],
    ['query=["=","nothing",1]', /'nothing' is not a queryable object/],
  ])('refuses ?%s', async (parameters, sentence) => {
    const response = await fetch(`${base}/admin/v1/archive?${parameters}`)
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(sentence)])
  })

  it('accepts anonymization_profile=none, as the command line sends it', async () => {
    expect(unpack(await exported(base, '?anonymization_profile=none')).size).toBe(REPORTS + 1)
  })
})

describe('names and values that are difficult in archives', () => {
  const LONG = `${'long-'.repeat(60)}name`
  const hostile = [LONG, 'ünïcode-名', '../../etc/passwd', 'back\\slash', '*?[x]', '-rf']
  const deep = (levels: number): Json => (levels === 0 ? 'deep' : [deep(levels - 1)])

  it('are exported below the folder of reports, and imported unchanged', async () => {
    const [one, other] = await Promise.all([service(), service()])
    const resource = {
      skipped: false,
      timestamp: '2026-03-02T11:59:55.000Z',
      resource_type: 'File',
      resource_title: '/x',
      file: null,
      line: null,
      containment_path: null,
    }
    const event = {
      status: 'success',
      timestamp: '2026-03-02T11:59:55.000Z',
      property: 'p',
      message: null,
      old_value: deep(990),
      new_value: '12345678901234567890',
    }
    const payloads = hostile.map(
      (certname): Json =>
        JSON.parse(reportOf(certname, { resources: [{ ...resource, events: [event] }] })) as Json,
    )
    await load(
      one,
      payloads.map(
        (payload, index) =>
          ({
            command: 'store_report',
            version: 8,
            certname: hostile[index]!,
            payload,
          }) as unknown as Command,
      ),
    )
    const archive = await exported(one)
    const text = gunzipSync(archive).toString('latin1')
    expect(text).not.toContain('reports/../')
    expect(parsed(await imported(other, archive))).toMatchObject({ stored: hostile.length })
    const all: Request = { method: 'GET', path: '/query/v4/reports', params: {} }
    const [here, there] = await Promise.all([ask(one, all), ask(other, all)])
    expect(judge(here, there, null)).toBeNull()
    expect((there.body as { certname: string }[]).map(({ certname }) => certname).sort()).toEqual(
      hostile.toSorted(),
    )
  })

  // The old format has no room for more than 99 characters of a path, ustar for 100 in each half.
  it('come in from a tar of every format', async () => {
    const base = await service()
    for (const [format, name] of [
      ['--format=gnu', 'g'.repeat(90)],
      ['--format=pax', 'p'.repeat(90)],
      ['--format=ustar', 'u'.repeat(54)],
      ['--format=v7', 'short'],
    ] as const) {
      const archive = pack([metadata, [entry(name), reportOf(name)]], format)
      expect(parsed(await imported(base, archive)), format).toMatchObject({ stored: 1 })
    }
  })
})

describe('a damaged archive is reported, and costs only its bad entries', () => {
  let base: string
  let stop: () => Promise<void>
  afterAll(() => stop?.())
  beforeAll(async () => {
    ;({ base, stop } = await emptyService())
  })

  it('names bad entries, stores the others, and updates nodes from catalogs and facts', async () => {
    const facts = {
      certname: 'fine',
      environment: 'from-facts',
      producer_timestamp: '2026-03-02T12:00:00.000Z',
      producer: null,
      values: {},
    }
    const archive = pack([
      [METADATA_PATH, JSON.stringify({ command_versions: { store_report: 8, replace_facts: 5 } })],
      [entry('bad-json'), '{"certname": '],
      [entry('bad-report'), reportOf('bad-report', { end_time: 'yesterday' })],
      [entry('fine'), reportOf('fine')],
      ['puppetdb-bak/facts/fine.json', JSON.stringify(facts)],
      ['puppetdb-bak/catalogs/fine-' + 'b'.repeat(40) + '.json', '{}'],
      ['puppetdb-bak/README', 'something else'],
      [entry('huge'), ' '.repeat(34_000_000)],
      [entry('fine-too'), reportOf('fine-too')],
    ])
    const answer = await imported(base, archive)
    expect(answer.status).toBe(200)
    expect(parsed(answer)).toEqual({
      ok: false,
      entries: 8,
      stored: 2,
      duplicates: 0,
      other: 1,
      ignored: 1,
      refused: 4,
      problems: expect.arrayContaining([
        { entry: entry('bad-json'), error: expect.stringContaining('must be JSON') },
        { entry: entry('bad-report'), error: expect.stringContaining('end_time: "yesterday"') },
        { entry: expect.stringContaining('catalogs/fine'), error: expect.any(String) },
        {
          entry: entry('huge'),
          error: expect.stringContaining('34000000 bytes, at most 33554432'),
        },
      ]),
    })
    const node = await ask(base, { method: 'GET', path: '/query/v4/nodes/fine', params: {} })
    expect(node.body).toMatchObject({ facts_environment: 'from-facts' })
  })

  const valid = pack(
    [metadata, ...['x', 'y', 'z'].map((n) => [entry(n), reportOf(n)] as const)],
    '--format=gnu',
  )
  const plain = gunzipSync(valid)
  /** Within the content of the first report, and where the second one's header begins. */
  const BROKEN = plain.indexOf('"certname"') + 100
  const BETWEEN = plain.indexOf(entry('y'))
  it.each<[what: string, archive: Buffer, sentence: RegExp]>([
    ['nothing', Buffer.alloc(0), /archive is empty|can't be unpacked/],
    ['no gzip', Buffer.from('hello world'), /not gzip, or damaged/],
    ['gzip that breaks off', valid.subarray(0, valid.length - 20), /not gzip, or damaged/],
    ['gzip of no tar', gzipSync('x'.repeat(2000)), /checksum of a header is wrong/],
    ['a tar that breaks off within an entry', gzipSync(plain.subarray(0, BROKEN)), /ends within/],
    ['a tar that breaks off between entries', gzipSync(plain.subarray(0, BETWEEN)), /has no end/],
    ['a tar without metadata', pack([[entry('x'), reportOf('x')]]), /begins with .*metadata\.json/],
    [
      'gzip that unpacks to a thousand times its size',
      gzipSync(Buffer.concat([plain, Buffer.alloc(80 * 1024 * 1024)])),
      /more than 100 times as large as it was sent/,
    ],
    ['metadata that is no JSON', pack([[METADATA_PATH, 'x']]), /is not JSON/],
    ['metadata without versions', pack([[METADATA_PATH, '{}']]), /lacks command_versions/],
  ])('%s: 400', async (_, archive, sentence) => {
    const answer = await imported(base, archive)
    expect([answer.status, parsed(answer)['error']]).toEqual([400, expect.stringMatching(sentence)])
    expect(parsed(answer)['error']).toMatch(/importing again is safe/)
  })

  it.each<[what: string, type: string, body: string, sentence: RegExp]>([
    ['no boundary', 'multipart/form-data', '', /no boundary/],
    ['no parts', 'multipart/form-data; boundary=x', 'hello', /no parts/],
    [
      'no such field',
      'multipart/form-data; boundary="x"',
      '--x\r\nContent-Disposition: form-data; name="other"\r\n\r\n1\r\n--x--\r\n',
      /no field "archive"/,
    ],
    [
      'too many parts',
      'multipart/form-data; boundary=x',
      `${'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\n1\r\n'.repeat(200)}--x--`,
      /more than 100 parts/,
    ],
    [
      'a field that breaks off',
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="archive"\r\n\r\n`,
      /ends within the field/,
    ],
  ])('a multipart body with %s: 400', async (_, type, body, sentence) => {
    const response = await fetch(`${base}/admin/v1/archive`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    const { error } = await response.json<{ error: string }>()
    expect([response.status, error]).toEqual([400, expect.stringMatching(sentence)])
  })

  it('accepts the archive as the body, and reports progress line by line', async () => {
    const many = Array.from(
      { length: 1100 },
      (_, n) => [entry(`n${n}`), reportOf(`n${n}`)] as const,
    )
    const response = await fetch(`${base}/admin/v1/archive`, {
      method: 'POST',
      headers: { 'content-type': 'application/gzip', accept: 'application/x-ndjson' },
      body: new Uint8Array(pack([metadata, ...many])),
    })
    const lines = (await response.text()).split('\n').filter(Boolean)
    expect(lines.map((line) => (JSON.parse(line) as { entries: number }).entries)).toEqual([
      500, 1000, 1100,
    ])
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ ok: true, stored: 1100 })
  })

  it('ends the progress with the error, if there was one', async () => {
    const archive = gzipSync(plain.subarray(0, BROKEN))
    const { status, text } = await imported(base, archive, 'application/x-ndjson')
    expect(status).toBe(200)
    expect(JSON.parse(text.trim().split('\n').at(-1)!)).toEqual({
      ok: false,
      error: expect.stringContaining('ends within'),
    })
  })
})
