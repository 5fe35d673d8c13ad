import { readFileSync } from 'node:fs'

const pages = ['README.md', 'docs/recipes.md', 'docs/reference.md']
const texts = pages.map((page) => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8'))

/** The code blocks of a section of the README, or of its pages, in one language; '' for none. */
export function blocksOf(heading: string, language: string): readonly string[] {
  const [section] = new RegExp(`^## ${heading}\\n[^]*?(?=^## |$(?![^]))`, 'm').exec(
    texts.join('\n'),
  ) ?? ['']
  const blocks = Array.from(section.matchAll(/^```(\w*)\n([^]*?)^```$/gm))
  return blocks.flatMap(([, name, block]) => (name === language ? [block] : []))
}
