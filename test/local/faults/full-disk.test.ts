/** A disk that fills up under a running service: queries go on, reports are refused until there is room, and none is lost. */

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../local-service.ts'
import { npmStart, type Started } from '../npm-start.ts'
import { sendReport } from '../send-report.ts'
import { until } from '../until.ts'

/** A disk that only this process and its children see. */
const MOUNT = [
  '-Urm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=16m disk "$0" && echo mounted && exec cat',
]
const hasDisks =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'disk', '/mnt']).status === 0

let folder = ''
const children: ChildProcess[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'full-'))
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

it.skipIf(!hasDisks)(
  'the disk is full: reports are refused, queries answered, and all goes on once there is room',
  async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    const owner = spawn('unshare', [...MOUNT, disk])
    children.push(owner)
    await new Promise((resolve) => owner.stdout.once('data', resolve))
    const data = join(disk, 'data')
    const first = startOn(owner.pid!, data)
    const url = await first.ready
    const acknowledged: string[] = []
    const send = async (): Promise<number> => {
      const certname = `node${acknowledged.length + 1}`
      const status = await sendReport(url, certname)
      if (status === 200) acknowledged.push(certname)
      return status
    }
    const statusAt = async (path: string): Promise<number> => (await fetch(url + path)).status
    for (let n = 0; n < 5; n++) expect(await send()).toBe(200)

    const ballast = join(`/proc/${owner.pid}/root`, disk, 'ballast')
    fill(ballast)
    await until(async () => expect(await send()).toBe(503))
    await until(async () => expect(await statusAt('/status/v1/simple')).toBe(503))
    expect(await statusAt('/pdb/query/v4/nodes')).toBe(200)
    // The runtime refuses at once; the launcher looks at the disk every few seconds.
    await until(() => expect(first.output()).toContain(`The disk that holds ${data} is full.`))

    rmSync(ballast)
    await until(async () => expect(await statusAt('/status/v1/simple')).toBe(200))
    await until(async () => expect(await send()).toBe(200))
    const rows = await (await fetch(`${url}/pdb/query/v4/nodes`)).json<{ certname: string }[]>()
    const stored = new Set(rows.map(({ certname }) => certname))
    expect(acknowledged.filter((certname) => !stored.has(certname))).toEqual([])
    await first.stop('SIGTERM')

    // A full disk at the start.
    fill(ballast)
    const second = startOn(owner.pid!, data)
    const again = await second.ready
    await until(async () => expect((await fetch(`${again}/status/v1/simple`)).status).toBe(503))
    const read = await (await fetch(`${again}/pdb/query/v4/nodes`)).json<{ certname: string }[]>()
    expect(read.map(({ certname }) => certname).toSorted()).toEqual([...stored].toSorted())
    await until(() => expect(second.output()).toContain(`The disk that holds ${data} is full.`))
    rmSync(ballast)
    await until(async () => expect(await sendReport(again, 'last')).toBe(200))
    await second.stop('SIGTERM')
  },
)

/** `npm start` on the disk of another process. */
const startOn = (owner: number, data: string): Started =>
  npmStart(['--port', '0', '--data', data, '--empty'], {
    through: ['nsenter', '--preserve-credentials', '-U', '-m', '-t', String(owner), `--wd=${ROOT}`],
  })

/** Leaves no byte of the disk free. */
function fill(file: string): void {
  const ballast = openSync(file, 'w')
  for (let size = 1024 * 1024; size >= 1;) {
    try {
      writeSync(ballast, Buffer.alloc(size, 'x'))
    } catch {
      size = Math.floor(size / 2)
    }
  }
  closeSync(ballast)
}
