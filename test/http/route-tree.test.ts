/** Which routes fit a path, in the order of their registration. */

import { describe, expect, it } from 'vitest'
import { RouteTree } from '../../worker/http/route-tree.ts'

const ROUTES = [
  ['ALL', '/*'],
  ['GET', '/'],
  ['GET', '/metrics'],
  ['GET', '/metrics/v1/:bean'],
  ['GET', '/pdb/query/v4/nodes'],
  ['GET', '/pdb/query/v4/nodes/:node'],
  ['ALL', '/pdb/query/:version{v[1-3]}/*'],
  ['ALL', '/pdb/query/*'],
  ['PUT', '/:anything/v1'],
] as const

const newTree = (): RouteTree<string> => {
  const tree = new RouteTree<string>()
  for (const [method, path] of ROUTES) tree.add(method, path, `${method} ${path}`)
  return tree
}

const found = (tree: RouteTree<string>, method: string, path: string) =>
  (tree.match(method, path)[0] as [string, Record<string, string>][]).map(([route]) => route)

describe('the routes that fit', () => {
  it.each([
    ['GET', '/', ['ALL /*', 'GET /']],
    ['GET', '/metrics', ['ALL /*', 'GET /metrics']],
    ['GET', '/metrics/v1/a', ['ALL /*', 'GET /metrics/v1/:bean']],
    ['GET', '/pdb/query', ['ALL /*', 'ALL /pdb/query/*']],
    [
      'GET',
      '/pdb/query/v4/nodes/a',
      ['ALL /*', 'GET /pdb/query/v4/nodes/:node', 'ALL /pdb/query/*'],
    ],
    [
      'POST',
      '/pdb/query/v2/facts',
      ['ALL /*', 'ALL /pdb/query/:version{v[1-3]}/*', 'ALL /pdb/query/*'],
    ],
    ['PUT', '/metrics/v1', ['ALL /*', 'PUT /:anything/v1']],
    ['PUT', '/unheard-of/v1', ['ALL /*', 'PUT /:anything/v1']],
    ['GET', '/unheard-of', ['ALL /*']],
    // Spelled as the route is, which is a word and a pattern at once.
    [
      'GET',
      '/pdb/query/v4/nodes/:node',
      ['ALL /*', 'GET /pdb/query/v4/nodes/:node', 'ALL /pdb/query/*'],
    ],
    ['GET', '/*', ['ALL /*']],
  ])('%s %s', (method, path, routes) => {
    expect(found(newTree(), method, path)).toEqual(routes)
  })

  it('are kept where the path has no parameter', () => {
    const tree = newTree()
    const isKept = (path: string): boolean => tree.match('GET', path) === tree.match('GET', path)
    const paths = ['/metrics', '/pdb/query/v4/nodes', '/metrics/v1/a', '/*', '/unheard-of']
    expect(paths.filter(isKept)).toEqual(['/metrics', '/pdb/query/v4/nodes'])
  })

  it('names what a pattern stands for', () => {
    expect(newTree().match('GET', '/metrics/v1/a.b')[0]).toContainEqual([
      'GET /metrics/v1/:bean',
      { bean: 'a.b' },
    ])
  })

  it('has a route that is added after the first request', () => {
    const tree = newTree()
    found(tree, 'GET', '/metrics')
    tree.add('GET', '/metrics', 'another')
    expect(found(tree, 'GET', '/metrics')).toEqual(['ALL /*', 'GET /metrics', 'another'])
  })
})
