import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from './launch.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  bin: Record<string, string>
  dependencies?: object
}
const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] }).toString()

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
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(4669)
})

let archive = ''
let size = 0
let packed: readonly string[] = []
beforeAll(() => {
  const folder = temporaryFolder()
  const [made] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
  ) as [{ filename: string; size: number; files: { path: string }[] }]
  archive = join(folder, made.filename)
  size = made.size
  packed = made.files.map(({ path }) => path)
})

it('is found right by publint and attw', () => {
  const run = (name: string, ...args: string[]) =>
    execFileSync(join(root, '../node_modules/.bin', name), args, { encoding: 'utf8' })
  expect(run('publint', 'run', archive, '--strict')).toContain('All good!')
  // attw ends with 1 where it finds a problem. The package is for import, not for require.
  expect(run('attw', archive, '--profile', 'esm-only')).toContain('node16 (from ESM)')
})

it('has the types that the library is made of, and no others', () => {
  const reached = new Set<string>()
  const reach = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    const text = readFileSync(join(root, file), 'utf8')
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (fileName.startsWith('.')) reach(join(dirname(file), fileName.replace(/\.js$/, '.d.ts')))
    }
  }
  reach('dist/index.d.ts')
  expect(packed.filter((file) => file.endsWith('.d.ts')).sort()).toEqual([...reached].sort())
})

it('has its command before it is built, so that `npm ci` in a clone links it', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root }).toString().split('\n')
  expect(tracked).toContain(manifest.bin['local-catcher'])
})

it('needs nothing at run time', () => {
  expect(manifest.dependencies).toBeUndefined()
})

it('is installed from its package into an empty folder, and runs there', () => {
  expect(size).toBeLessThanOrEqual(100 * 1024)
  const home = temporaryFolder()
  npm(['install', '--offline', '--no-audit', '--no-fund', archive], home)
  expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'local-catcher',
  ])
  expect(npm(['exec', '--offline', '--', 'local-catcher', '--version'], home)).toBe(
    `${manifest.version}\n`,
  )
  const script = `import { startCatcher } from 'local-catcher'
    const catcher = await startCatcher()
    await fetch(catcher.url + '/pay')
    console.log(catcher.requests[0].path)
    await catcher.close()`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: home,
  })
  expect(printed.toString()).toBe('/pay\n')
})
