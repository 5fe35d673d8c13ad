// Measures the catcher against a plain node:http server and, where Go is installed, a Go one:
// CPU per request. All servers run at once and are measured in turn (Linux).
// Usage: node run.js [--rounds 9] [--body '167 B'] [--beside other/bin.js] [--gigabytes 1] [--json file]
import { spawn, spawnSync } from 'node:child_process'
import {
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bodies, megabyte } from './bodies.js'

const CONNECTIONS = 32
const here = (file) => fileURLToPath(new URL(file, import.meta.url))
const BIN = here('../../local-catcher/dist/bin.js')

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    body: { type: 'string' },
    beside: { type: 'string' },
    gigabytes: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
})
// Rounds have a number of requests rather than a time: on a busy machine, a time holds too few for V8 to
// have compiled what it will, and the server that is starved most would pay most for each.
const REQUESTS = { '167 B': 10_000, '1.7 KB': 4000, '29 KB': 800 }
const WARM_UP = 3
const folder = mkdtempSync(join(tmpdir(), 'catcher-bench-'))
const running = []

// One core for the server and one for the load, if possible.
const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0
const pinned = (core, command) => (canPin ? ['taskset', '-c', String(core), ...command] : command)

async function start(name, command, log = join(folder, `${name}.out`)) {
  const out = openSync(log, 'a')
  const [file, ...args] = pinned(0, command)
  const child = spawn(file, args, { stdio: ['ignore', out, 'pipe'] })
  running.push(child)
  const port = await new Promise((resolve, reject) => {
    let text = ''
    child.stderr.on('data', (chunk) => {
      text += chunk
      const ready = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(text)
      if (ready) resolve(Number(ready[1]))
    })
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${text}`)))
  })
  return { name, child, port, log }
}

/** CPU time of the threads of a process so far, in microseconds; /proc/PID/stat has ticks of 10 ms only. */
function cpu(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const times = tasks.map((task) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')
    return Number(nanoseconds)
  })
  return times.reduce((sum, time) => sum + time, 0) / 1000
}

const peakMebibytes = (pid) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

function load(port, connections, name, requests) {
  const command = [process.execPath, here('client.js'), port, connections, name, requests]
  const [file, ...args] = pinned(1, command.map(String))
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  return new Promise((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    child.on('close', () => resolve(JSON.parse(text)))
  })
}

async function measure(server, body) {
  const before = cpu(server.child.pid)
  const { answered, failed, elapsed } = await load(server.port, CONNECTIONS, body, REQUESTS[body])
  const used = cpu(server.child.pid) - before
  truncateSync(server.log)
  return { perSecond: (answered / elapsed) * 1000, cpu: used / answered, failed }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

async function compare() {
  const catcher = [process.execPath, BIN, '--port', '0']
  const servers = [
    await start('catcher', catcher),
    await start('catcher -o', [...catcher, '--quiet', '--output', join(folder, 'record.jsonl')]),
    ...(values.beside
      ? [await start('beside', [process.execPath, values.beside, '--port', '0'])]
      : []),
    await start('naive', [process.execPath, here('naive.js')]),
    await start('floor', [process.execPath, here('floor.js')]),
    await start('floor net', [process.execPath, here('floor-net.js')]),
  ]
  const go = spawnSync('go', ['build', '-o', join(folder, 'peer'), here('peer.go')], {
    env: { ...process.env, GOCACHE: join(folder, 'cache'), GO111MODULE: 'off', GOFLAGS: '' },
  })
  if (go.status === 0) servers.push(await start('go', [join(folder, 'peer')]))
  else console.log('go is not installed: the Go peer is left out')
  const results = []
  for (const body of Object.keys(bodies).filter((name) => (values.body ?? name) === name)) {
    for (let i = 0; i < WARM_UP; i++) for (const server of servers) await measure(server, body)
    const rounds = []
    for (let round = 0; round < Number(values.rounds); round++) {
      const measured = {}
      // Each round in the other direction, so that no server always comes after the same one.
      for (const server of round % 2 ? servers.toReversed() : servers) {
        measured[server.name] = await measure(server, body)
      }
      rounds.push(measured)
    }
    for (const { name } of servers) {
      const pick = (key) => rounds.map((each) => each[name][key])
      // The least of all rounds, since a neighbour on a busy machine only ever adds to it.
      const least = (of) => Math.min(...rounds.map((each) => each[of].cpu))
      const times = (other) =>
        other in rounds[0] ? Number((least(other) / least(name)).toFixed(2)) : '-'
      results.push({
        body,
        server: name,
        'requests/s': Math.round(median(pick('perSecond'))),
        'CPU µs/request': Number(least(name).toFixed(1)),
        '× naive': times('naive'),
        '× go': times('go'),
        failed: pick('failed').reduce((sum, each) => sum + each, 0),
      })
    }
  }
  for (const { child } of servers) child.kill()
  return results
}

/** Peak memory of a fresh catcher while bodies of 1 MB come in over 8 connections. */
async function memory() {
  const requests = Math.ceil((Number(values.gigabytes) * 1e9) / megabyte.length)
  const output = join(folder, 'large.jsonl')
  const peaks = {}
  for (const [name, flags] of Object.entries({ screen: [], record: ['-q', '-o', output] })) {
    const server = await start(`memory ${name}`, [process.execPath, BIN, '-p', '0', ...flags])
    const { answered } = await load(server.port, 8, 'megabyte', requests)
    peaks[name] = { answered, peak: peakMebibytes(server.child.pid) }
    server.child.kill()
  }
  peaks.record.written = statSync(output).size
  return peaks
}

/** Milliseconds from the start of the process to the ready line. */
async function startTime() {
  const times = []
  for (let i = 0; i < 15; i++) {
    const began = performance.now()
    const { child } = await start('start', [process.execPath, BIN, '--port', '0'])
    times.push(performance.now() - began)
    child.kill()
  }
  return median(times)
}

try {
  const rows = await compare()
  console.table(rows)
  const large = await memory()
  const ready = await startTime()
  for (const [name, { answered, peak }] of Object.entries(large)) {
    console.log(`1 MB bodies (${name}): ${answered} answered, peak RSS ${Math.round(peak)} MiB`)
  }
  console.log(`start to ready line: ${Math.round(ready)} ms (median of 15)`)
  const report = { node: process.version, rows, large, ready }
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
  else console.log(JSON.stringify(report))
} finally {
  for (const child of running) child.kill()
  rmSync(folder, { recursive: true, force: true })
}
