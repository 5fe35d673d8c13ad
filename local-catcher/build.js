// Builds the package into dist/: its modules as CommonJS, which Jest and old programs load too, a module that
// gives them to `import`, and one file with the types of all that can be imported.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
  mkdirSync(dist)
  const compiled = mkdtempSync(join(dist, 'compiled-'))
  const flags = ['--declaration', '--outDir', compiled, ...(check ? [] : ['--noCheck'])]
  compile(...flags)
  const from = (/** @type {string} */ name) => join(compiled, name)
  const input = [from('bin.js'), from('index.js')]
  const modules = await rollup({ input, external: /^node:/, plugins: [ownUrl] })
  const shape = { preserveModules: true, dynamicImportInCjs: false }
  const { output } = await modules.write({ dir: dist, format: 'cjs', ...shape })
  const values = output.flatMap((each) => (each.fileName === 'index.js' ? each.exports : []))
  const types = await rollup({
    input: from('index.d.ts'),
    external: /^node:/,
    plugins: [dts(), separateTypes(values)],
  })
  const banner = '/// <reference types="node" />'
  await types.write({ file: join(dist, 'index.d.ts'), banner })
  rmSync(compiled, { recursive: true })
  copyFileSync(join(dist, 'index.d.ts'), join(dist, 'index.d.mts'))
  writeFileSync(join(dist, 'index.mjs'), `export { ${values.join(', ')} } from './index.js'\n`)
  writeFileSync(join(dist, 'package.json'), '{ "type": "commonjs" }\n')
}

/** Where a module of CommonJS is; what Rollup writes for it asks whether there is a document, as Jest may have. */
const ownUrl = {
  name: 'own-url',
  resolveImportMeta: () => `require('node:url').pathToFileURL(__filename).href`,
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
