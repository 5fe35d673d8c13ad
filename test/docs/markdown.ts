/** The texts that users read, taken apart: lines, headings, links, blocks of code. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

export interface Block {
  readonly file: string
  readonly line: number
  /** The words after the fence: the language, and for the tests a word more. */
  readonly info: string
  readonly text: string
}

export interface Page {
  /** Relative to the folder of the project. */
  readonly file: string
  readonly text: string
  readonly blocks: readonly Block[]
  /** Without blocks of code. */
  readonly prose: string
  readonly anchors: readonly string[]
}

const FENCE = /^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm

function pageOf(file: string): Page {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const blocks = [...text.matchAll(FENCE)].map(({ index, 1: indent, 2: info, 3: code }) => ({
    file,
    line: text.slice(0, index).split('\n').length,
    info: info!.trim(),
    text: code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
  const prose = text.replaceAll(FENCE, (block) => block.replaceAll(/[^\n]/g, ''))
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
  return { file, text, blocks, prose, anchors: headings.map(anchorOf) }
}

/** As GitHub makes them. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/`/g, '')
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const pagesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`)

export const PAGES: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  'bench/figures.md',
  'test/docs/ten-questions.md',
  ...pagesBelow('docs'),
].map(pageOf)

export const CATCHER_PAGES: readonly Page[] = [
  'local-catcher/README.md',
  'local-catcher/CHANGELOG.md',
  ...pagesBelow('local-catcher/docs'),
].map(pageOf)

/** Written for people who run and use the service. */
export const USER_PAGES = PAGES.filter(
  ({ file }) =>
    file === 'README.md' || (file.startsWith('docs/') && file !== 'docs/architecture.md'),
)

export const BLOCKS = PAGES.filter(({ file }) => !file.startsWith('bench')).flatMap(
  ({ blocks }) => blocks,
)

/** The commands of all shell blocks, each with its place. */
export const COMMANDS = BLOCKS.filter(({ info }) => info === 'sh').flatMap((block) =>
  block.text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    // A quoted text may go over several lines.
    .reduce<string[]>((commands, line) => {
      const last = commands.at(-1)
      const isOpen = last !== undefined && (last.split("'").length - 1) % 2 === 1
      return isOpen ? [...commands.slice(0, -1), `${last}\n${line}`] : [...commands, line]
    }, [])
    .map((command) => ({ where: `${block.file}:${block.line}`, command })),
)
