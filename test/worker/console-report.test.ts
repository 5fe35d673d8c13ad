/** The page of a report: from a cause to its event and its log line, and events that only recorded a value. */

import { describe, expect, it } from 'vitest'
import { store } from './client.ts'
import { page } from './page.ts'
import { event, report, resource } from './reports.ts'

const MESSAGE = 'change failed: E: Unable to locate package mc'
const line = (message: string, source: string, level = 'err') => ({
  message,
  source,
  level,
  time: '2026-03-02T12:00:00.000Z',
  file: null,
  line: null,
  tags: [],
})

const addressOf = async (certname: string): Promise<string> => {
  const { links } = await page(`/console/nodes/${certname}`)
  return links.find((link) => /^\/console\/reports\/[0-9a-f]{40}$/.test(link))!
}

describe('the page of a report', () => {
  it('leads from a cause to its event, and to the line of its resource in the log', async () => {
    await store(
      report({
        certname: 'log-1',
        status: 'failed',
        resources: [
          resource({
            resource_type: 'Package',
            resource_title: 'mc',
            events: [event({ status: 'failure', message: MESSAGE })],
          }),
        ],
        logs: [
          line('Loading facts', 'Puppet', 'info'),
          line(MESSAGE, '/Stage[main]/Web/Package[vim]/ensure'),
          line(MESSAGE, '/Stage[main]/Web/Package[mc]/ensure'),
        ],
      }),
    )
    const address = await addressOf('log-1')
    const { links, html } = await page(address)
    expect(links).toContain(`${address}#e0`)
    expect(links).toContain(`${address}#L2`)
    const queries = links.map((link) => decodeURIComponent(link).replaceAll('+', ' '))
    expect(queries).toContainEqual(expect.stringMatching(/^\/console\/query\?.*events.*report = /))
    expect(html).toContain('id="L2"')
  })

  it('is open from the sentence on why its node fails', async () => {
    const { texts } = await page('/console/nodes/log-1')
    expect(await texts('.incident .acts')).toEqual(['Open report Open incident'])
  })

  it('is said by its link alone where reports are listed', async () => {
    const { elements } = await page('/console/reports?since=all')
    const tables = elements.filter(({ name }) => name === 'table')
    expect(tables[0]!.attributes['role']).toBe('none')
  })

  it('has cells that are all read aloud', async () => {
    const { elements } = await page(await addressOf('log-1'))
    const cells = elements.filter(({ name }) => name === 'td' || name === 'th')
    expect(cells.length).toBeGreaterThan(5)
    expect(cells.filter(({ attributes }) => attributes['aria-hidden'])).toEqual([])
  })

  it('says the reason once: the event leads up to it', async () => {
    const { texts, html } = await page(await addressOf('log-1'))
    expect(await texts('#why .head')).toEqual([
      expect.stringContaining('Unable to locate package mc'),
    ])
    expect((await texts('#e0'))[0]).not.toContain('Unable to locate')
    expect((await texts('#why'))[0]).toContain(MESSAGE)
    expect(html).toContain('<a href="#why">why</a>')
  })

  it.each([
    ['The disk is full', 1],
    ['Execution of apt returned 100:\nE: Unable to locate package mc', 2],
  ])('of the message %j the card says why in %i lines', async (message, lines) => {
    const certname = `said-${lines}`
    await store(
      report({
        certname,
        status: 'failed',
        resources: [resource({ events: [event({ status: 'failure', message })] })],
      }),
    )
    const { texts } = await page(await addressOf(certname))
    const [why] = await texts('#why')
    expect(why!.match(/is full|Unable to locate/g)).toHaveLength(lines)
  })

  it('draws the difference of a file that the agent logged', async () => {
    const digest = (letter: string): string => `{sha256}${letter.repeat(64)}`
    await store(
      report({
        certname: 'diff-1',
        status: 'changed',
        metrics: [{ category: 'resources', name: 'out_of_sync', value: 1 }],
        resources: [
          resource({
            resource_title: '/etc/nginx/tls.conf',
            events: [
              event({ property: 'content', old_value: digest('a'), new_value: digest('b') }),
            ],
          }),
        ],
        logs: [
          line(
            '\n--- /etc/nginx/tls.conf\t2026\n+++ /tmp/puppet-file\t2026\n@@ -1,2 +1,2 @@\n tickets <off>;\n-handshake on;\n+handshakes on;\n',
            '/Stage[main]/Web/File[/etc/nginx/tls.conf]/content',
            'notice',
          ),
        ],
      }),
    )
    const { texts, html } = await page(await addressOf('diff-1'))
    expect(await texts('.diff tr')).toEqual([
      'lines 1 to 2',
      '1 1 tickets <off>;',
      '2 − handshake on;',
      '2 + handshakes on;',
    ])
    expect(await texts('.diff b')).toEqual(['handshake', 'handshakes'])
    expect(html).toContain('{sha256}aaaaaaaa…')
  })

  it('lists all fields and metrics by their names, which are the heads of rows', async () => {
    const { texts } = await page(await addressOf('diff-1'))
    expect(await texts('details.fold th')).toEqual(
      expect.arrayContaining(['transaction uuid', 'report format', 'resources']),
    )
    expect(await texts('details.fold thead')).toEqual([])
  })

  it('counts what was only recorded apart from what changed', async () => {
    await store(
      report({
        certname: 'audit-1',
        status: 'changed',
        resources: [
          resource({ events: [event({ status: 'success' })] }),
          resource({ resource_title: 'watched', events: [event({ status: 'audit' })] }),
        ],
      }),
    )
    const { text } = await page(await addressOf('audit-1'))
    expect(text).toContain('1 changed')
    expect(text).toContain('File[watched]')
    expect(text).toContain('audited')
    expect(text).not.toContain('2 changed')
  })
})

describe('the title of a node', () => {
  it('says how long it has been silent in a unit that one can read', async () => {
    await store(report({ certname: 'old-1', producer_timestamp: '2015-01-01T00:00:00.000Z' }))
    expect((await page('/console/nodes/old-1')).html).toMatch(
      /<title>old-1 · silent [\d,]+ d, last run unchanged/,
    )
  })
})
