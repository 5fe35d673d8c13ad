import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { parseRecord } from '../src/index.js'
import { recordLine } from '../src/record.js'
import { blocksOf } from './documents.js'
import { BIN, lacks, launchProcess, temporaryFolder } from './launch.js'

it('shows a record that is one', () => {
  const [block] = blocksOf('The record', 'json')
  expect(JSON.parse(recordLine(parseRecord(block)))).toEqual(JSON.parse(block))
})

/**
 * A folder with the command on its path, and a project whose tests send two webhooks. npm takes
 * longer to start than all else, so a command of its name runs the tests.
 */
function project() {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'bin'))
  const add = (name: string, words: string) => {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\nexec ${process.execPath} ${words}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  add('local-catcher', `${BIN} "$@"`)
  add('npm', 'send.mjs')
  writeFileSync(
    join(folder, 'send.mjs'),
    `import { randomUUID } from 'node:crypto'
    const { LOCAL_CATCHER_URL, TOTAL } = process.env
    const headers = { 'content-type': 'application/json', 'x-trace': randomUUID() }
    const order = { id: randomUUID(), at: new Date(), total: Number(TOTAL) }
    for (const [path, body] of [['/orders', order], ['/refunds', {}]]) {
      const options = { method: 'POST', headers, body: JSON.stringify(body) }
      await fetch(LOCAL_CATCHER_URL + path, options)
    }`,
  )
  const PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter)
  /** Runs a line of the README there. */
  return (line: string, variables: Record<string, string>) => {
    const env = { ...process.env, PATH, ...variables }
    return spawnSync('bash', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
  }
}

it.skipIf(lacks('bash'))('does what it says of snapshots', () => {
  const run = project()
  const [update, compare] = blocksOf('Snapshots', 'sh')[0].trimEnd().split('\n')
  expect(run(update, { TOTAL: '12' }).status).toBe(0)
  expect(run(compare, { TOTAL: '12' }).status).toBe(0)
  const { status, stderr } = run(compare, { TOTAL: '13' })
  const [report] = blocksOf('Snapshots', '')
  expect(stderr.slice(-report.length)).toBe(report)
  expect(status).toBe(6)
})

it.skipIf(lacks('bash'))('does what it says of sending and replaying', async () => {
  const run = project()
  const receiver = await launchProcess(['--json', '--secret', 'github:s3cret'])
  const [update] = blocksOf('Snapshots', 'sh')[0].split('\n')
  expect(run(update, { TOTAL: '12' }).status).toBe(0)
  for (const line of blocksOf('Send and replay', 'sh')[0].trimEnd().split('\n')) {
    const { status, stderr } = run(line.replace('http://localhost:3000', receiver.url), {})
    expect([status, stderr]).toEqual([0, ''])
  }
  const received = receiver.screen().trimEnd().split('\n').map(parseRecord)
  expect(received.map(({ path, signature }) => `${path} ${signature?.state}`)).toEqual([
    '/orders verified',
    '/refunds verified',
    '/hooks verified',
  ])
  await receiver.stop()
})
