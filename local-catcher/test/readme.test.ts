import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lacks, launchProcess } from './launch.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [start, send, block] = [...readme.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(
  (match) => match[1],
)

// What differs from run to run.
const steady = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME')
    .replace(/127\.0\.0\.1:\d+ ---/, 'SENDER ---')
    .replace(/^Host: .*$/m, 'HOST')
    .replace(/curl\/[\d.]+/, 'CURL')
    .replace(/· [\d.]+ m?s/, '· TOOK')
    .trimEnd()

it.skipIf(lacks('bash', 'curl'))('does what the first screen of the README shows', async () => {
  expect(start).toBe('npx local-catcher\n')
  const catcher = await launchProcess()
  const answer = execFileSync('bash', [
    '-c',
    `${send.trimEnd().replace('http://127.0.0.1:8080', catcher.url)} -s`,
  ])
  expect(answer.toString()).toBe(`${/gets `200` and\s`(.*?)`/.exec(readme)![1]}\n`)
  expect(steady(catcher.screen())).toBe(steady(block))
  await catcher.stop()
})

it.skipIf(lacks('bash'))('does what the table of the README says', async () => {
  const commands = [...readme.matchAll(/^\| [a-z].*?\| `local-catcher ([^`]*)`/gm)].map(
    (match) => match[1],
  )
  const { parseCommandLine } = await import('../src/command/option-table.js')
  const { CATCH_OPTIONS } = await import('../src/command/settings.js')
  const { readRule } = await import('../src/rules.js')
  expect(commands.length).toBeGreaterThan(10)
  for (const command of commands) {
    const words = execFileSync('bash', ['-c', `printf '%s\\0' ${command}`])
      .toString()
      .split('\0')
      .slice(0, -1)
    const { settings } = parseCommandLine(CATCH_OPTIONS, words, {})
    settings.rule.map(readRule)
  }
})

it.skipIf(lacks('bash'))('shows commands that are commands', async () => {
  const { parseCommandLine } = await import('../src/command/option-table.js')
  const { CATCH_OPTIONS } = await import('../src/command/settings.js')
  const { SUBCOMMANDS } = await import('../src/command/run.js')
  const recipes = readFileSync(new URL('../docs/recipes.md', import.meta.url), 'utf8')
  const blocks = Array.from(
    `${readme}${recipes}`.matchAll(/^```sh\n([^]*?)^```$/gm),
    ([, block]) => block,
  )
  const [entry] = /^ENTRYPOINT (\[.*\])$/m.exec(recipes)!.slice(1)
  const commands = [
    ...blocks.flatMap((block) => block.match(/^local-catcher .*$/gm) ?? []),
    ...Array.from(recipes.matchAll(/^(?:- run|  script): npx (.*)$/gm), ([, command]) => command),
    (JSON.parse(entry) as string[]).join(' '),
  ]
  expect(commands.length).toBeGreaterThanOrEqual(9)
  for (const command of commands) {
    const words = execFileSync('bash', [
      '-c',
      `printf '%s\\0' ${command.replace('whsec_…', 'whsec_QUJD')}`,
    ])
      .toString()
      .split('\0')
      .slice(1, -1)
    const load = SUBCOMMANDS[words[0]]
    if (!load) {
      parseCommandLine(CATCH_OPTIONS, words, {})
      continue
    }
    const table = Object.fromEntries((await load()).options.map((option) => [option.key, option]))
    parseCommandLine(table, words.slice(1), {}, 1)
  }
})

it('has at most 2,000 words', () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(2_000)
})

it('shows rules that are rules', async () => {
  const { parseRule, readRule } = await import('../src/rules.js')
  const rules = [...readme.matchAll(/^\| (`[^|]* => .*?) \|/gm)].flatMap(([, cell]) =>
    Array.from(cell.matchAll(/`([^`]*)`/g), ([, rule]) => rule),
  )
  expect(rules.length).toBeGreaterThan(7)
  for (const rule of rules) parseRule(rule)
  const blocks = [...readme.matchAll(/^```json\n(\[[^]*?)^```$/gm)].map(([, block]) => block)
  expect(blocks.length).toBe(1)
  for (const rule of JSON.parse(blocks[0]) as object[]) readRule(rule)
  const [, grammar] = /^```\n(\[METHOD\].*)\n```$/m.exec(readme)!
  const example = grammar
    .replace(/[[\]…]/g, '')
    .replace('METHOD', 'POST')
    .replace('status', '503')
  parseRule(example.replace('key=value', 'delay=1s').trim())
})

it('shows the line that is printed once the port is bound', async () => {
  const catcher = await launchProcess()
  const [, shown] = /this line is on standard error:\n\n```\n(.*)\n```/.exec(readme)!
  expect(`local-catcher listening on ${catcher.url}`).toBe(
    shown.replace('http://127.0.0.1:8080', catcher.url),
  )
  await catcher.stop()
})

it('installs in its container the package of this version', () => {
  const { name, version } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { name: string; version: string }
  const recipes = readFileSync(new URL('../docs/recipes.md', import.meta.url), 'utf8')
  const [, dockerfile] = /^```dockerfile\n([^]*?)^```$/m.exec(recipes)!
  expect(dockerfile.match(/\S+\.tgz/g)).toEqual([
    `${name}-${version}.tgz`,
    `/tmp/${name}-${version}.tgz`,
  ])
})
