/** Pages of the console as a browser would read them, without a browser. */

import { request } from './client.ts'

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

export interface ReadPage {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  readonly elements: readonly Element[]
  readonly title: string
  /** Text of the whole page, its blanks made one. */
  readonly text: string
  /** Texts of the elements that match. */
  readonly texts: (selector: string) => Promise<string[]>
  /** Addresses of links in the page itself; those of the header are on every page. */
  readonly links: readonly string[]
}

const HTML = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }

/** Asks for a page as a browser does, without following redirects. */
export const visit = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  request(path, { headers: { ...HTML, ...headers }, redirect: 'manual' })

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}
const plain = (text: string): string =>
  text
    .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity]!)
    .replace(/\s+/g, ' ')
    .trim()

/** Reads a page by the platform's own HTML parser. */
export async function readPage(response: Response): Promise<ReadPage> {
  const html = await response.text()
  const elements: Element[] = []
  const links: string[] = []
  let title = ''
  let text = ''
  const rewritten = new HTMLRewriter()
    .on('*', {
      element: ({ tagName, attributes }) => {
        elements.push({ name: tagName, attributes: Object.fromEntries(attributes) })
      },
    })
    .on('main a[href]', {
      element: (link) => void links.push(link.getAttribute('href')!.replaceAll('&amp;', '&')),
    })
    .on('title', { text: (chunk) => void (title += chunk.text) })
    .on('body', { text: (chunk) => void (text += chunk.text) })
    .transform(new Response(html))
  await rewritten.text()
  return {
    status: response.status,
    headers: response.headers,
    html,
    elements,
    title: plain(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? title),
    text: plain(text),
    texts: (selector) => textsOf(html, selector),
    links,
  }
}

export interface Outline {
  readonly name: string
  readonly children: readonly Outline[]
}

const VOID = new Set(['meta', 'link', 'input', 'br', 'hr', 'img', 'col', 'wbr'])

/** The elements of a document, as they stand in each other. @throws Error where one is not closed in its turn, which browsers make up for */
export function outlineOf(html: string): readonly Outline[] {
  const open: { name: string; children: Outline[] }[] = [{ name: '', children: [] }]
  for (const { 0: tag, 1: end, 2: name, 3: closed, index } of html.matchAll(
    /<(\/?)([a-z][\w-]*)(?:"[^"]*"|[^">])*?(\/?)>/gi,
  )) {
    const innermost = open.at(-1)!
    if (end === '/') {
      if (innermost.name !== name)
        throw new Error(
          `${tag} closes no <${innermost.name}>: ${html.slice(Math.max(0, index - 100), index)}`,
        )
      open.pop()
      continue
    }
    const element = { name: name!, children: [] }
    innermost.children.push(element)
    if (closed !== '/' && !VOID.has(name!)) open.push(element)
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)!.name}> is not closed`)
  return open[0]!.children
}

async function textsOf(html: string, selector: string): Promise<string[]> {
  const texts: string[] = []
  await new HTMLRewriter()
    .on(selector, {
      element: () => void texts.push(''),
      text: (chunk) => void (texts[texts.length - 1] += chunk.text),
    })
    .transform(new Response(html))
    .text()
  return texts.map(plain)
}

export const page = async (path: string, headers: Record<string, string> = {}): Promise<ReadPage> =>
  readPage(await visit(path, headers))
