/** README and docs: links lead somewhere, lists are current, commands exist, and the README stays short. */

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import { METRICS } from '../../worker/http/monitoring/metrics.ts'
import { COMMANDS as INSTALLED, PACKAGE } from '../../worker/local/commands.mjs'
import { REFERENCE, referencePages } from '../../tools/describe/reference.ts'
import { FIELD_MEANINGS } from '../../tools/openapi/field-meanings.ts'
import { ENTITIES } from '../../worker/schema/entities.ts'
import { SETTINGS } from '../../worker/schema/settings.ts'
import { COMMANDS, PAGES, ROOT, USER_PAGES, type Page } from './markdown.ts'
import { refusals } from './refusals.ts'

const MOST_WORDS_OF_README = 800
/** Of all pages for users but those that are generated. */
const MOST_WORDS = 22_000
const LONGEST_LINE = 200

const wordsOf = ({ text }: Page): number => text.split(/\s+/).filter(Boolean).length

/** The pages that a page links to. */
const linksOf = ({ file, text }: Page): string[] =>
  [...text.matchAll(/\]\(([\w./-]+\.md)/g)].map(([, to]) =>
    relative(ROOT, join(ROOT, dirname(file), to!)),
  )

describe('README.md', () => {
  const readme = PAGES.find(({ file }) => file === 'README.md')!

  it(`has at most ${MOST_WORDS_OF_README} words`, () => {
    expect(wordsOf(readme)).toBeLessThanOrEqual(MOST_WORDS_OF_README)
  })

  it('has a picture on top, and no table', () => {
    expect(readme.text.indexOf('![')).toBeLessThan(60)
    expect(readme.prose).not.toMatch(/^\|/m)
  })

  it('leads to every page for users in three clicks', () => {
    const reached = new Set(['README.md'])
    for (let click = 0; click < 3; click++)
      for (const page of PAGES.filter(({ file }) => reached.has(file)))
        for (const linked of linksOf(page)) reached.add(linked)
    expect(USER_PAGES.filter(({ file }) => !reached.has(file)).map(({ file }) => file)).toEqual([])
  })
})

describe('the pages', () => {
  const generated = referencePages(ROOT)

  it.each(PAGES.map((page) => [page.file, page] as const))(
    '%s: links lead somewhere',
    (file, page) => {
      const links = [...page.prose.matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, link]) => link!)
      const broken = links.filter((link) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), path))
        if (!existsSync(join(ROOT, target))) return true
        if (anchor === undefined) return false
        return !PAGES.find((one) => one.file === target)?.anchors.includes(anchor)
      })
      expect(broken).toEqual([])
    },
  )

  it('that files beside them name are there', () => {
    const files = ['docs/own-server', 'docs/integrate'].flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((name) => join(folder, name)),
    )
    const named = files.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return [...text.matchAll(/docs\/[\w/-]+\.md/g)].map(([page]) => [file, page] as const)
    })
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter(([, page]) => !existsSync(join(ROOT, page)))).toEqual([])
  })

  it(`for users have at most ${MOST_WORDS} words, beside the generated ones`, async () => {
    const made = await generated
    const written = USER_PAGES.filter(({ file }) => !made.has(file))
    expect(written.length).toBeGreaterThan(20)
    expect(written.reduce((sum, page) => sum + wordsOf(page), 0)).toBeLessThanOrEqual(MOST_WORDS)
  })

  it('say on one how to trust an authority', () => {
    const saying = USER_PAGES.filter(({ text }) => text.includes('NODE_EXTRA_CA_CERTS'))
    expect(saying.map(({ file }) => file)).toEqual(['docs/reference/commands.md'])
  })

  it('and refusals have no words of a translation', () => {
    const foreign =
      /\bsome \d|\b(?:whoever|anew|tells? of|is told|do(?:es)? for|is none of|lies behind|a date to come|is the most\.|(?:an?|one) \w+ a (?:node|run|report|line|row|file)\b)/g
    const texts = [
      ...USER_PAGES.map(({ file, text }) => ({ where: file, text })),
      ...refusals().map(({ where, sentence }) => ({ where, text: sentence })),
    ]
    const found = texts.flatMap(({ where, text }) =>
      [...text.matchAll(foreign)].map(([words]) => `${where}: ${words}`),
    )
    expect(found).toEqual([])
  })

  it('name buttons and headings as the console has them', () => {
    const console = readdirSync(join(ROOT, 'worker/console'), {
      recursive: true,
      encoding: 'utf8',
    })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, 'worker/console', name), 'utf8'))
      .join('\n')
    const incident = PAGES.find(({ file }) => file.endsWith('work-an-incident.md'))!
    const tutorial = PAGES.find(({ file }) => file.endsWith('tutorial.md'))!
    const labels = [
      ...incident.prose.matchAll(/"([^"]+)"/g),
      ...tutorial.prose.matchAll(/\*\*([^*]+)\*\*/g),
    ].map(([, label]) => label!)
    expect(labels.length).toBeGreaterThan(10)
    expect(labels.filter((label) => !console.includes(label))).toEqual([])
  })

  it('have no line that is too long for a terminal', () => {
    const written = PAGES.filter(({ file }) => !/bench|ten-questions/.test(file))
    const long = written.flatMap(({ file, prose }) =>
      prose
        .split('\n')
        .filter((line) => line.length > LONGEST_LINE && !line.startsWith('|'))
        .map((line) => `${file}: ${line.slice(0, 60)}…`),
    )
    expect(long).toEqual([])
  })

  it(`${REFERENCE} is made of the tables as they are`, async () => {
    for (const [file, text] of await generated)
      expect(readFileSync(join(ROOT, file), 'utf8'), 'npm run describe updates it').toBe(text)
  })

  it('have a meaning for every field', () => {
    const missing = [...ENTITIES.values()].flatMap(({ name, fields }) =>
      fields
        .filter((field) => FIELD_MEANINGS[name]?.[field.name] === undefined)
        .map((field) => `${name}.${field.name}`),
    )
    expect(missing).toEqual([])
  })
})

/** Programs whose commands need an account, root or a desktop, and are not run here. */
const ELSEWHERE = [
  'npx',
  'local-catcher',
  'git',
  'openssl',
  'podman',
  'systemctl',
  'journalctl',
  'cp',
  'rm',
  'cd',
  'claude',
  'export',
  'puppet',
  'puppetserver',
]

describe('the commands', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const { text: reference } = PAGES.find(({ file }) => file === `${REFERENCE}/commands.md`)!
  const help = new Map(
    [...reference.matchAll(/^## (\S+)\n(.*?)(?=^## |\s*$(?![^]))/gms)].map(([, name, text]) => [
      name!,
      text!,
    ]),
  )
  const DEPLOY = readFileSync(join(ROOT, 'tools/deploy/deploy.ts'), 'utf8')
  /** Whether a command has an option, by what it prints for --help. */
  const takes = (command: string, option: string): boolean =>
    new RegExp(`${option}(?![a-z-])`).test(
      help.get(command) ?? (command === 'deploy' ? DEPLOY : ''),
    )

  it('are many', () => {
    expect(COMMANDS.length).toBeGreaterThan(40)
  })

  it.each(COMMANDS.map(({ where, command }) => [command, where]))('%s (%s)', (command) => {
    for (const one of command.split(/ && | \| /)) {
      const words = one.trim().match(/(?:"[^"]*"|[^\s"])+/g)!
      const settings = words.slice(
        0,
        words.findIndex((word) => !/^[A-Z_]+=/.test(word)),
      )
      for (const setting of settings)
        expect(Object.keys(SETTINGS)).toContain(setting.replace(/=.*/, ''))
      const [program = '', verb = '', name = ''] = words.slice(settings.length)
      if (program === 'curl' || ELSEWHERE.includes(program)) continue
      expect(['npm', PACKAGE]).toContain(program)
      const script = program === 'npm' && verb === 'run' ? name : verb
      if (program === 'npm' && ['ci', 'prune', 'install'].includes(script)) continue
      expect(Object.keys(program === 'npm' ? scripts : INSTALLED)).toContain(script)
      const options = [...one.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option!)
      expect(options.filter((option) => !takes(script, option))).toEqual([])
    }
  })
})

/** Names and labels of metrics in an expression of PromQL; throws what the parser does not understand. */
function seriesIn(expression: string): { metric: string; labels: string[] }[] {
  const series: { metric: string; labels: string[] }[] = []
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) throw new Error(`${expression}: not understood at ${from}`)
      if (type.name !== 'VectorSelector') return
      const labels = [...expression.slice(from, to).matchAll(/(\w+)(?==~?")/g)].map(
        ([, one]) => one!,
      )
      const name = node.getChild('Identifier')!
      series.push({ metric: expression.slice(name.from, name.to), labels })
    },
  })
  return series
}

describe('Prometheus and Grafana', () => {
  const sources = new Map(
    METRICS.map((metric) => [
      metric.name,
      readFileSync(join(ROOT, 'worker/http/monitoring/metrics.ts'), 'utf8'),
    ]),
  )
  const expressions = (): string[] => {
    const rules = parse(readFileSync(join(ROOT, 'docs/integrate/alert-rules.yml'), 'utf8')) as {
      groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[]
    }
    const dashboard = JSON.parse(
      readFileSync(join(ROOT, 'docs/integrate/grafana-dashboard.json'), 'utf8'),
    ) as { panels: { targets: { expr: string }[] }[] }
    return [
      ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ]
  }

  it('are asked for metrics and labels that the service has', () => {
    const found = expressions()
    expect(found.length).toBeGreaterThan(20)
    for (const { metric, labels } of found.flatMap(seriesIn)) {
      expect([...sources.keys()]).toContain(metric)
      // Prometheus adds the job itself.
      for (const label of labels.filter((one) => one !== 'job'))
        expect(sources.get(metric)).toContain(label)
    }
  })

  const promtool = spawnSync('promtool', ['check', 'rules', 'docs/integrate/alert-rules.yml'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  it.skipIf(promtool.error)('satisfy promtool, where it is installed', () => {
    expect(promtool.stdout + promtool.stderr).toMatch(/SUCCESS: \d+ rules found/)
    expect(promtool.status).toBe(0)
  })

  it('refuse what is no PromQL', () => {
    expect(() => seriesIn('sum(puppet_nodes{')).toThrow('not understood')
  })
})
