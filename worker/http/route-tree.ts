/** Finds the routes that fit a path. */

import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

interface Registration<Registered> {
  readonly method: string
  readonly path: string
  readonly registered: Registered
  readonly words: Words
}

/** The first two words of a path; `''` where it has fewer. */
type Words = readonly [first: string, second: string]

const wordsOf = (path: string): Words => {
  const [, first = '', second = ''] = path.split('/', 3)
  return [first, second]
}

const isPattern = (word: string): boolean => word.startsWith(':') || word.includes('*')

/**
 * A tree of routes for each beginning of paths, such as `/pdb/query`. It is built when a path first begins so: most
 * isolates answer a few of the endpoints only, and a route takes longer to put into a tree than to find. Finding one takes a
 * seventh of the smallest query, so what is found for a path without parameters is kept.
 */
export class RouteTree<Registered> implements Router<Registered> {
  readonly name = 'RouteTree'
  readonly #registrations: Registration<Registered>[] = []
  /** The words that some route begins with. Others share a tree, so that clients can't fill the memory with trees. */
  readonly #words = new Set<string>()
  readonly #trees = new Map<string, TrieRouter<Registered>>()
  /** Paths of routes that have no parameter and no wildcard: what is found for one is kept. */
  readonly #plain = new Set<string>()
  readonly #found = new Map<string, Result<Registered>>()

  add(method: string, path: string, registered: Registered): void {
    const words = wordsOf(path)
    for (const word of words) this.#words.add(word)
    this.#registrations.push({ method, path, registered, words })
    if (!path.includes(':') && !path.includes('*')) this.#plain.add(path)
    this.#trees.clear()
    this.#found.clear()
  }

  match(method: string, path: string): Result<Registered> {
    if (!this.#plain.has(path)) return this.#search(method, path)
    const name = `${method} ${path}`
    const known = this.#found.get(name)
    if (known) return known
    const found = this.#search(method, path)
    this.#found.set(name, found)
    return found
  }

  #search(method: string, path: string): Result<Registered> {
    const [first, second] = wordsOf(path)
    const tree = this.#treeFor([this.#known(first), this.#known(second)])
    const [found] = tree.match(method, path) as [[Registered, Record<string, string>][]]
    // The tree finds a route twice where the path is spelled as the route is, `/*` or `/nodes/:node`.
    return [found.filter(([route], index) => route !== found[index - 1]?.[0])]
  }

  #known(word: string): string {
    return this.#words.has(word) ? word : ''
  }

  #treeFor(words: Words): TrieRouter<Registered> {
    const beginning = words.join('/')
    const kept = this.#trees.get(beginning)
    if (kept) return kept
    const tree = new TrieRouter<Registered>()
    const fits = (word: string, index: number): boolean =>
      word === '' || word === words[index] || isPattern(word)
    for (const { method, path, registered, words } of this.#registrations)
      if (words.every(fits)) tree.add(method, path, registered)
    this.#trees.set(beginning, tree)
    return tree
  }
}
