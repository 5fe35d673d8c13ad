/** Makes types of the API's description and compiles the client with them. */

import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { DOCUMENT } from './document.ts'

const FOLDER = import.meta.dirname

/**
 * What the compiler says of each text in the place of the client; nothing of one that is right. One program checks all of them:
 * most of its time goes into the libraries' types.
 */
export async function compilerMessages(sources: readonly string[]): Promise<string[][]> {
  const types = astToString(await openapiTS(structuredClone(DOCUMENT) as never))
  const clients = sources.map((_, index) => join(FOLDER, `client-${index}.ts`))
  const texts = new Map([
    [join(FOLDER, 'api.d.ts'), types],
    ...clients.map((path, index) => [path, sources[index]!] as const),
  ])
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
  }
  const host = ts.createCompilerHost(options)
  const disk = { ...host }
  host.readFile = (path) => texts.get(path) ?? disk.readFile(path)
  host.fileExists = (path) => texts.has(path) || disk.fileExists(path)
  const program = ts.createProgram(clients, options, host)
  const found = ts.getPreEmitDiagnostics(program)
  return clients.map((path) =>
    found
      .filter(({ file }) => file === undefined || file.fileName === path)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
  )
}
