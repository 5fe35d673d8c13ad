/** Commands and files as the docs print them: what a stranger types, and nothing else. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

type Replacements = Readonly<Record<string, string>>

export class Documented {
  /** @param root folder of the project */
  constructor(private readonly root: string) {}

  /**
   * A command of a page with the reader's own names in it.
   *
   * @param page below docs/ @param command as the page prints it @throws Error where the page doesn't print it
   */
  async command(page: string, command: string, replacements: Replacements = {}): Promise<string> {
    const lines = (await this.#blocks(page, 'sh')).flatMap((block) => block.split('\n'))
    if (!lines.some((line) => line.trim() === command))
      throw new Error(`docs/${page} has no command "${command}"`)
    return replaced(command, replacements)
  }

  /** A command that a page prints within a sentence. @throws Error where it doesn't */
  async prose(page: string, command: string): Promise<string> {
    if (!(await this.#text(page)).includes(`\`${command}\``))
      throw new Error(`docs/${page} doesn't have \`${command}\``)
    return command
  }

  /** The first block of a language after a heading. @throws Error where there is none */
  async block(page: string, heading: string, language: string): Promise<string> {
    const [block] = await this.#blocks(page, language, heading)
    if (block === undefined) throw new Error(`docs/${page} has no ${language} below "${heading}"`)
    return block
  }

  #text(page: string): Promise<string> {
    return readFile(join(this.root, 'docs', page), 'utf8')
  }

  async #blocks(page: string, language: string, heading = ''): Promise<string[]> {
    const text = await this.#text(page)
    const section = text.slice(text.indexOf(heading === '' ? '' : `\n## ${heading}\n`))
    const fence = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\`$`, 'gm')
    return [...section.matchAll(fence)].map(([, , block]) => block!)
  }
}

/** Puts the reader's own names into a text. @throws Error where the text lacks one of those to replace */
export function replaced(text: string, replacements: Replacements): string {
  let own = text
  for (const [printed, mine] of Object.entries(replacements)) {
    if (!own.includes(printed)) throw new Error(`"${text}" doesn't have "${printed}"`)
    own = own.replaceAll(printed, mine)
  }
  return own
}
