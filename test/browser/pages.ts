/** The pages of the console, one of each kind, and how the tests open one. */

import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'

/** The project, above this program's bundle: dist/programs/NAME. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')

/** Says whether a part of the test found something wrong. */
export type Say = (name: string, wrong: readonly string[]) => void

/** The most that a step may take: a machine under load is slow, and a step that waits in vain is not. */
const MOST_MS = 15_000

/** A page whose console, errors and reports of the policy are listened to. @param options of its window */
export async function open(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(MOST_MS)
  page.setDefaultNavigationTimeout(4 * MOST_MS)
  const heard: string[] = []
  page.on('console', (message) => message.type() === 'error' && heard.push(message.text()))
  page.on('pageerror', (error) => heard.push(String(error)))
  return { context, page, heard }
}

/** One page of each kind. */
export async function pagesOf(url: string): Promise<string[]> {
  const json = async (path: string) =>
    (await fetch(url + path)).json<{ [name: string]: string }[]>()
  const [cause] = await json('/console/causes.json')
  const [deploy] = await json('/console/deploys.json')
  const [report] = await json('/console/reports.json?state=failed')
  return [
    '/console',
    '/console?layout=wall',
    '/console/deploys',
    `/console/deploys/${deploy!['environment']}/${deploy!['code_version']}`,
    '/console/causes',
    `/console/causes/${cause!['cause']}`,
    '/console/nodes',
    '/console/nodes?state=failed',
    `/console/nodes/${report!['certname']}`,
    '/console/reports',
    `/console/reports/${report!['hash']}`,
    `/console/reports/${report!['hash']}/diff`,
    '/console/changes',
    '/console/changes?kind=noop',
    '/console/changes?kind=any&nodes=web-*',
    `/console/query?q=${encodeURIComponent('nodes[certname, report_timestamp] {}')}`,
    `/console/query?view=explain&q=${encodeURIComponent('reports { status = "failed" }')}`,
    '/console/query',
    '/console/trends',
    '/console/search?q=web',
    '/console/search?q=openssl&since=7d',
    '/console/settings',
    '/console/saved?of=/console/nodes',
    '/console/compare',
    '/console/sign-in',
    '/console/nothing',
  ]
}
