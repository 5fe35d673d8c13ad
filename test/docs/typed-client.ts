/** Makes types of the API's description and compiles the client with them. */

import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { DOCUMENT } from './document.ts'

const FOLDER = import.meta.dirname

/** Types of the description, and the syntax trees of files that are as they are on disk: the same for every text. */
const types = openapiTS(structuredClone(DOCUMENT) as never).then((nodes) => astToString(nodes))
const trees = new Map<string, ts.SourceFile>()

/** What the compiler says of a text in the place of the client; empty for a client that is right. */
export async function compilerMessages(source?: string): Promise<string[]> {
  const client = join(FOLDER, 'client.ts')
  const texts = new Map([[join(FOLDER, 'api.d.ts'), await types]])
  if (source !== undefined) texts.set(client, source)
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
  host.getSourceFile = (path, ...how) => {
    if (texts.has(path)) return disk.getSourceFile(path, ...how)
    const tree = trees.get(path) ?? disk.getSourceFile(path, ...how)
    if (tree) trees.set(path, tree)
    return tree
  }
  const program = ts.createProgram([client], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}
