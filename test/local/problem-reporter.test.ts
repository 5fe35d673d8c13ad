/** The runtime is told of a machine's problem: the newest one, surely, and one message at a time. */

import { expect, test } from 'vitest'
import { ProblemReporter } from '../../worker/local/problem-reporter.ts'
import { until } from './until.ts'

/** A runtime that hears messages when it is let, and refuses as many as it is told. */
function slowRuntime(refused = 0) {
  const heard: (string | null)[] = []
  const waiting: (() => void)[] = []
  const send = async (problem: string | null): Promise<void> => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    if (refused-- > 0) throw new Error('connect ECONNREFUSED')
    heard.push(problem)
  }
  const answerNext = async (): Promise<void> => {
    await until(() => expect(waiting).not.toEqual([]))
    waiting.shift()!()
  }
  return { heard, send, answerNext }
}

test('a message that is lost is sent again', async () => {
  const runtime = slowRuntime(2)
  const problems = new ProblemReporter(runtime.send)
  const reported = problems.report('The disk is full.')
  for (let attempt = 0; attempt < 3; attempt++) await runtime.answerNext()
  await reported
  expect(runtime.heard).toEqual(['The disk is full.'])
})

test('a problem that ends before its message is heard is taken back after it', async () => {
  const runtime = slowRuntime()
  const problems = new ProblemReporter(runtime.send)
  const reported = [problems.report('The disk is full.'), problems.report(null)]
  await runtime.answerNext()
  await runtime.answerNext()
  await Promise.all(reported)
  expect(runtime.heard).toEqual(['The disk is full.', null])
})

test('only the newest of several that are found meanwhile is sent', async () => {
  const runtime = slowRuntime()
  const problems = new ProblemReporter(runtime.send)
  const reported = ['first', 'second', 'third'].map((problem) => problems.report(problem))
  await runtime.answerNext()
  await runtime.answerNext()
  await Promise.all(reported)
  expect(runtime.heard).toEqual(['first', 'third'])
})

test('a new runtime is told what the last one knew, and nothing if all is well', async () => {
  const runtime = slowRuntime()
  const problems = new ProblemReporter(runtime.send)
  await problems.reportToNewRuntime()
  expect(runtime.heard).toEqual([])
  const reported = problems.report('The disk is full.')
  await runtime.answerNext()
  await reported
  const again = problems.reportToNewRuntime()
  await runtime.answerNext()
  await again
  expect(runtime.heard).toEqual(['The disk is full.', 'The disk is full.'])
})
