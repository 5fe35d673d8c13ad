import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  bin: Record<string, string>
  dependencies?: object
}

/** How many lines of a file hold code, that is any token: not blank ones, not comments. */
function codeLines(file: string): number {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023)
  const lines = new Set<number>()
  const walk = (node: ts.Node) => {
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child))
    children.forEach(walk)
    if (children.length > 0 || node.getWidth(source) === 0) return
    const line = (at: number) => source.getLineAndCharacterOfPosition(at).line
    for (let i = line(node.getStart(source)); i <= line(node.end); i++) lines.add(i)
  }
  walk(source)
  return lines.size
}

it('stays small: lines of code without the page, and in one file', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true }) as string[]
  const core = files.filter((file) => file.endsWith('.ts') && !file.startsWith('page/'))
  const counts = core.map((file) => codeLines(join(root, 'src', file)))
  expect(core.length).toBeGreaterThan(20)
  expect(Math.max(...counts)).toBeLessThanOrEqual(300)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(4100)
})

it('has its command before it is built, so that `npm ci` in a clone links it', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root }).toString().split('\n')
  expect(tracked).toContain(manifest.bin['local-catcher'])
})

it('needs nothing at run time', () => {
  expect(manifest.dependencies).toBeUndefined()
})
