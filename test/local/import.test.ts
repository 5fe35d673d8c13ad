/** `npm run import` against a service that answers as told: in this process, but where a signal ends it. */

import { spawn, type ChildProcess } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importCommand } from '../../tools/import/import-command.ts'
import { Progress } from '../../tools/import/progress.ts'
import { TAR_END, tarFile } from '../../worker/archive/tar.ts'
import { printedBy } from './printed.ts'

const ROOT = join(import.meta.dirname, '../..')
const OK = { status: 200, body: '{"uuid":"1"}' }

interface Answer {
  readonly status: number
  readonly body: string
}

let folder = ''
let server: Server
let received: { path: string; body: string; authorization: string | undefined }[] = []
let answer: (body: string, count: number) => Answer = () => OK
let child: ChildProcess | null = null
/** The request that is not answered because the command is killed. */
let killAfter: number | null = null
/** The request before whose answer the command gets SIGINT. */
let interruptAfter: number | null = null

const to = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeEach(async () => {
  received = []
  answer = () => OK
  killAfter = null
  interruptAfter = null
  folder = await mkdtemp(join(tmpdir(), 'import-'))
  server = createServer((request, response) => {
    void request.toArray().then((pieces: Buffer[]) => {
      const body = Buffer.concat(pieces).toString()
      const { authorization } = request.headers
      received.push({ path: request.url ?? '', body, authorization })
      if (received.length === killAfter) return child?.kill('SIGKILL')
      if (received.length === interruptAfter) child?.kill('SIGINT')
      const { status, body: text } = answer(body, received.length)
      response.writeHead(status).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

/** Runs the command in the folder. */
const run = (words: readonly string[]) =>
  printedBy(() => importCommand([...words, '--to', to()], folder))

/** Runs it as a process, which signals may end. */
function runProcess(words: readonly string[]) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const program = [join(ROOT, 'worker/local/launch.mjs'), 'tools/import/import.ts']
    const started = spawn('node', [...program, ...words, '--to', to()], { cwd: folder })
    child = started
    let out = ''
    let err = ''
    started.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
    started.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
    started.on('close', (code) => resolve({ code, out, err }))
  })
}

async function storeReports(count: number): Promise<string> {
  const reports = join(folder, 'reports')
  for (let index = 0; index < count; index++) {
    const node = join(reports, `web${index % 3}.example.com`)
    await mkdir(node, { recursive: true })
    await writeFile(
      join(node, `2026112210${String(index).padStart(2, '0')}.yaml`),
      `report ${index}\n`,
    )
  }
  return reports
}

describe('a folder of stored reports', () => {
  it('is imported file by file, with a summary at the end', async () => {
    answer = (body) =>
      body === 'report 1\n'
        ? { status: 400, body: 'The YAML is no report: its first line begins no hash.' }
        : body === 'report 2\n'
          ? { status: 200, body: '{"uuid":"1","duplicate":true}' }
          : OK
    const { code, out } = await run([await storeReports(6)])
    expect(code).toBe(1)
    expect(received.map(({ path }) => path)).toEqual(Array.from({ length: 6 }, () => '/reports'))
    expect(received.map(({ body }) => body).sort()).toEqual(
      Array.from({ length: 6 }, (_, index) => `report ${index}\n`),
    )
    expect(out).toMatch(/^read +6\nstored +4\nknown +1\nrefused +1\n/)
    expect(out).toContain(
      '1 × 400 The YAML is no report: its first line begins no hash. (first: web1.example.com/202611221001.yaml)',
    )
    expect((await readdir(folder)).filter((name) => name.startsWith('.import'))).toEqual([])
  })

  it('continues after a killed import: nothing is lost, and few reports are sent twice', async () => {
    const reports = await storeReports(60)
    killAfter = 20
    expect((await runProcess([reports, '--parallel', '2'])).code).toBeNull()
    const { code, out } = await run([reports, '--parallel', '2'])
    expect(code).toBe(0)
    expect(new Set(received.map(({ body }) => body)).size).toBe(60)
    // What was under way when it was killed is sent again.
    expect(received.length).toBeLessThanOrEqual(60 + 4)
    expect(out).toMatch(/before the interruption/)
  })

  it('interrupted, says what was done and how to go on', async () => {
    const reports = await storeReports(60)
    // The answer comes once the signal was noticed: a request that is refused as busy is not tried again.
    answer = (_, count) => (count < 20 ? OK : { status: 503, body: 'busy' })
    interruptAfter = 20
    const interrupted = await runProcess([reports, '--parallel', '1'])
    expect(interrupted.code).toBe(2)
    expect(interrupted.out).toMatch(/^read +19\nstored +19\nknown +0\nrefused +0\n/)
    expect(interrupted.err).toBe(
      'The import was interrupted. The same command continues where it ended.\n',
    )
    // An import that an earlier release began continues by the journal of this name.
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([
      expect.stringMatching(/^\.import-[0-9a-f]{12}$/),
    ])
    answer = () => OK
    const { code, out } = await run([reports, '--parallel', '1'])
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^read +41 \(and 19 before the interruption\)\n/),
    ])
  })

  it.each([
    [0, /^\[?.*0 of 10 reports, 0\/s$/],
    [5, /5 of 10 reports, \d+\/s, \S.* left$/],
  ])('with %i reports read says what is left, where that is known', (read, line) => {
    const progress = new Progress(10)
    progress.read = read
    expect(progress.line()).toMatch(line)
  })

  it('shows a line for each thousand reports where there is no terminal', async () => {
    const { err } = await run([await storeReports(60), '--certname', 'web1.*'])
    expect(err).toBe('')
    const written: string[] = []
    const stream = { isTTY: false, write: (line: string) => written.push(line) }
    const progress = new Progress(2010)
    // Four at a time are read before one of them is shown.
    for (let index = 0; index < 2010; index++) {
      progress.read++
      if (index % 4 === 2) progress.show(stream as unknown as NodeJS.WriteStream)
    }
    expect(written).toEqual([
      expect.stringMatching(/ 1,00\d of 2,010 reports, \d+\/s, \d+ s left\n$/),
      expect.stringMatching(/ 2,00\d of 2,010 reports, \d+\/s, \d+ s left\n$/),
    ])
  })

  // Of six reports, at 10:00 to 10:05 of the day, two each are of web0, web1 and web2.
  it.each<[words: readonly string[], sent: readonly number[]]>([
    [
      ['--since', '2026-11-22T10:03:00Z'],
      [3, 4, 5],
    ],
    [
      ['--until', '2026-11-22T10:03:00Z'],
      [0, 1, 2],
    ],
    [
      ['--since', '2026-11-22T10:01:00Z', '--until', '2026-11-22T10:04:00Z'],
      [1, 2, 3],
    ],
    [
      ['--since', '2026-11-22'],
      [0, 1, 2, 3, 4, 5],
    ],
    [['--since', '2999-01-01'], []],
    [
      ['--certname', 'web1.example.com'],
      [1, 4],
    ],
    [
      ['--certname', 'web*'],
      [0, 1, 2, 3, 4, 5],
    ],
    [
      ['--certname', 'web1.*', '--certname', 'web0.example.com'],
      [0, 1, 3, 4],
    ],
    [['--certname', 'web1.*', '--since', '2026-11-22T10:02:00Z'], [4]],
    [['--certname', 'web'], []],
  ])('with %j sends %j', async (words, sent) => {
    const { code } = await run([await storeReports(6), ...words])
    expect(code).toBe(0)
    expect(received.map(({ body }) => body).sort()).toEqual(sent.map((n) => `report ${n}\n`))
  })

  it('names what was refused before it was killed', async () => {
    const reports = await storeReports(60)
    answer = (body) =>
      body === 'report 0\n' ? { status: 400, body: 'The YAML is no report.' } : OK
    killAfter = 30
    await runProcess([reports, '--parallel', '1'])
    const { code, out } = await run([reports, '--parallel', '1'])
    expect(code).toBe(1)
    expect(out).toContain('refused  1\n  1 × 400 The YAML is no report. (first: web0.example.com/')
    expect(received.filter(({ body }) => body === 'report 0\n')).toHaveLength(1)
  })

  it('is retried while the service is busy', async () => {
    answer = (_, count) =>
      count <= 2 ? { status: 503, body: 'The database is not available right now.' } : OK
    const { code, out } = await run([await storeReports(1)])
    expect([code, received.length]).toEqual([0, 3])
    expect(out).toMatch(/^read +1\nstored +1\n/)
  })

  it('ends with a message if the service would refuse every report', async () => {
    answer = () => ({ status: 401, body: 'What was presented gives no access here.' })
    const { code, err } = await run([await storeReports(3), '--parallel', '1'])
    expect([code, received.length]).toEqual([2, 1])
    expect(err).toContain('401 What was presented gives no access here.')
  })
})

describe('an archive of PuppetDB', () => {
  it('says what ended it, though others waited for a busy service', async () => {
    answer = (body) =>
      body === 'report 0\n'
        ? { status: 503, body: 'busy' }
        : { status: 401, body: 'What was presented gives no access here.' }
    const { code, err } = await run([await storeReports(3), '--parallel', '2'])
    expect([code, err]).toEqual([2, '401 What was presented gives no access here.\n'])
  })

  it('is read as a stream, and its reports are sent as commands', async () => {
    const archive = join(folder, 'export.tgz')
    const metadata = JSON.stringify({ timestamp: 'x', command_versions: { store_report: 8 } })
    const entry = (path: string, text: string) =>
      tarFile(`puppetdb-bak/${path}`, Buffer.from(text), 0)
    const report = JSON.stringify({ certname: 'web1.example.com', status: 'changed' })
    await writeFile(
      archive,
      gzipSync(
        Buffer.concat([
          entry('export-metadata.json', metadata),
          entry('facts/web1.example.com.json', '{}'),
          entry(`reports/web1.example.com-${'a'.repeat(40)}.json`, report),
          TAR_END,
        ]),
      ),
    )
    for (const other of [
      ['--certname', 'web2.example.com'],
      ['--since', '1d'],
    ]) {
      expect((await run([archive, ...other])).out).toMatch(/^read +0\n/)
    }
    expect((await run([archive, '--certname', 'web1.example.com'])).code).toBe(0)
    expect(received).toEqual([
      {
        path: '/pdb/cmd/v1?command=store_report&version=8&certname=web1.example.com',
        body: report,
      },
    ])
  })

  it.each([
    [['nowhere'], "There is no file or folder 'nowhere'."],
    [[], 'One SOURCE is needed.'],
    [['.', '--parallel', '0'], "--parallel takes a number from 1 on, not '0'."],
    [
      ['.', '--since', '14'],
      "--since takes an age such as 14d, or a time such as 2026-11-01, not '14'.",
    ],
    [
      ['.', '--until', 'yesterday'],
      "--until takes an age such as 14d, or a time such as 2026-11-01, not 'yesterday'.",
    ],
  ])('what is wrong is said: %j', async (words, sentence) => {
    const { code, err } = await run(words)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
  })

  it('is refused if the file is something else', async () => {
    const other = join(folder, 'export.tgz')
    await copyFile(join(ROOT, 'package.json'), other)
    const { code, err } = await run([other])
    expect(code).toBe(2)
    expect(err).toContain("The archive can't be unpacked: it is not gzip, or damaged")
  })
})

describe('a running PuppetDB', () => {
  /** So many that pages begin within one millisecond, at which PuppetDB allows no comparison of hashes. */
  const rows = Array.from({ length: 250 }, (_, index) => ({
    certname: 'web1.example.com',
    hash: index.toString(16).padStart(40, '0'),
    producer_timestamp: `2026-11-22T10:00:00.${index < 20 ? '001' : index < 240 ? '002' : '003'}Z`,
    resource_events: { data: [] },
    logs: { data: [] },
    metrics: { data: [] },
  }))
  const queries: string[] = []

  /** As PuppetDB answers: it tells of plans only who asks for any type, and allows `>=` on times only. */
  const answered = (path: string): Answer => {
    const { searchParams } = new URL(path, 'http://puppetdb')
    const query = searchParams.get('query') ?? ''
    queries.push(query)
    if (!query.includes('["=","type","any"]')) return { status: 200, body: '[]' }
    if (!query.includes('producer_timestamp')) return { status: 500, body: 'ERROR: syntax error' }
    if (query.includes('count')) return { status: 200, body: '[{"count":250}]' }
    const [, operator, field, time] = /\["(>=?)","(\w+)","([^"]+)"\]/.exec(query) ?? []
    if (operator === '>' || (field ?? 'producer_timestamp') !== 'producer_timestamp') {
      return { status: 400, body: `Query operators >,>=,<,<= are not allowed on field ${field}` }
    }
    const from = rows.filter((row) => row.producer_timestamp >= (time ?? ''))
    const limit = Number(searchParams.get('limit'))
    return { status: 200, body: JSON.stringify(from.slice(0, limit)) }
  }

  it('is read page by page: each report once, even if many share a millisecond', async () => {
    answer = () => {
      const { path } = received.at(-1)!
      return path.startsWith('/pdb/query') ? answered(path) : OK
    }
    const { code, out, err } = await run([to(), '--token', 'of-the-service'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^read +250\nstored +250\n/)
    const commands = received.filter(({ path }) => path.startsWith('/pdb/cmd'))
    expect(commands).toHaveLength(250)
    expect(new Set(commands.map(({ path }) => path))).toEqual(
      new Set(['/pdb/cmd/v1?command=store_report&version=8&certname=web1.example.com']),
    )
    const sentTo = (start: string) => [
      ...new Set(
        received
          .filter(({ path }) => path.startsWith(start))
          .map(({ authorization }) => authorization),
      ),
    ]
    expect(sentTo('/pdb/cmd')).toEqual(['Bearer of-the-service'])
    expect(sentTo('/pdb/query')).toEqual([undefined])
    expect(queries.filter((query) => query.includes('>=')).length).toBeGreaterThan(1)
  })

  it('is asked for selected reports only', async () => {
    answer = () => {
      const { path } = received.at(-1)!
      return path.startsWith('/pdb/query') ? answered(path) : OK
    }
    queries.length = 0
    const words = ['--since', '2026-11-22T10:00:00.002Z', '--until', '2026-11-23']
    await run([to(), ...words, '--certname', 'web1.example.com', '--certname', 'db*'])
    expect(queries.length).toBeGreaterThan(1)
    for (const query of queries) {
      expect(query).toContain('[">=","producer_timestamp","2026-11-22T10:00:00.00')
      expect(query).toContain('["<","producer_timestamp","2026-11-23T00:00:00.000Z"]')
      expect(query).toContain(
        '["or",["=","certname","web1.example.com"],["~","certname","^db.*$"]]',
      )
    }
  })
})
