// Builds the package into dist/: its modules, and one file with the types of all that can be imported.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')

/**
 * Runs the compiler on the project.
 * @param {readonly string[]} flags what differs from tsconfig.json
 */
function compile(...flags) {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', '.', ...flags], { cwd: root, stdio: 'inherit' })
}

/**
 * Writes dist/ from nothing, since what is no longer a source must not be packed.
 * @param {{ check: boolean }} options whether types are checked first
 */
export async function build({ check }) {
  rmSync(dist, { recursive: true, force: true })
  compile(...(check ? [] : ['--noCheck']))
  const declarations = mkdtempSync(join(dist, 'types-'))
  const flags = ['--declaration', '--emitDeclarationOnly', '--removeComments', 'false', '--noCheck']
  compile(...flags, '--outDir', declarations)
  const values = Object.keys(await import('./dist/index.js'))
  const input = join(declarations, 'index.d.ts')
  const types = await rollup({ input, plugins: [dts(), separateTypes(values)] })
  const banner = '/// <reference types="node" />'
  await types.write({ file: join(dist, 'index.d.ts'), banner })
  rmSync(declarations, { recursive: true })
}

/**
 * Exports as types what the modules export as types: the plugin takes every class for a value.
 * @param {readonly string[]} values names of the values that the modules export
 * @returns {import('rollup').Plugin}
 */
const separateTypes = (values) => ({
  name: 'separate-types',
  renderChunk: (code) =>
    code.replace(/^export \{ (.*) \};$/m, (_, /** @type {string} */ names) => {
      const types = names.split(', ').filter((name) => !values.includes(name))
      return `export { ${values.join(', ')} };\nexport type { ${types.join(', ')} };`
    }),
})

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ check: true })
