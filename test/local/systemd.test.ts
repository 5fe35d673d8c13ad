/** The unit of systemd in `docs/own-server` starts what `npm start` is, with options that it knows. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readStartOptions } from '../../worker/local/options.ts'
import { startWords } from './npm-start.ts'

const START = startWords()

const ROOT = join(import.meta.dirname, '../..')
const unit = readFileSync(join(ROOT, 'docs/own-server/report-query-service.service'), 'utf8')

/** All values of one key, each of several lines joined to one. */
function valuesOf(key: string): readonly string[] {
  const lines = unit.replaceAll(/\\\n\s*/g, '').split('\n')
  return lines
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1))
}

it('runs the launcher with options that it accepts', () => {
  const [, ...all] = valuesOf('ExecStart')[0]!.split(/\s+/)
  const words = all.slice(START.length)
  expect(all.slice(0, START.length)).toEqual(START)
  expect(readStartOptions(words)).toMatchObject({
    host: '0.0.0.0',
    port: 8081,
    tls: { clientCrl: '/etc/puppetlabs/puppet/ssl/crl.pem' },
  })
})

it('is what the container runs, and npm start', () => {
  const container = readFileSync(join(ROOT, 'docs/own-server/Containerfile'), 'utf8')
  const words = (instruction: string): string[] =>
    JSON.parse(new RegExp(`^${instruction} (.*)$`, 'm').exec(container)![1]!) as string[]
  expect([...words('ENTRYPOINT'), ...words('CMD')].slice(0, 2)).toEqual([
    'report-query-service',
    'start',
  ])
  const program = readFileSync(join(ROOT, 'worker/local/report-query-service.mjs'), 'utf8')
  expect(program.split('\n')[0]).toBe(`#!/usr/bin/env -S node ${START[0]}`)
})

// By default systemd gives up after five starts within ten seconds, for good.
it('starts again until a fault that can pass has passed', () => {
  expect(valuesOf('Restart')).toEqual(['always'])
  expect(valuesOf('StartLimitIntervalSec')).toEqual(['0'])
  expect(valuesOf('RestartPreventExitStatus')).toEqual(['2 6'])
})

it('kills a launcher that hangs, and takes the messages of its children', () => {
  expect(valuesOf('WatchdogSec')).toEqual(['60'])
  expect(valuesOf('NotifyAccess')).toEqual(['all'])
})

// Without @pkey the kernel ends Node with SIGSYS before its first line: V8 asks for a protection key.
it('lets V8 guard its code by protection keys', () => {
  expect(valuesOf('SystemCallFilter')).toEqual(['@system-service @pkey'])
  expect(valuesOf('SystemCallErrorNumber')).toEqual(['EPERM'])
  expect(valuesOf('MemoryDenyWriteExecute')).toEqual([])
})
