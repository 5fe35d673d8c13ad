/** Makes types of the API's description and compiles the client with them. */

import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { DOCUMENT } from './document.ts'

const FOLDER = import.meta.dirname

/** What the compiler says of a text in the place of the client; empty for a client that is right. */
export async function compilerMessages(source?: string): Promise<string[]> {
  const types = astToString(await openapiTS(structuredClone(DOCUMENT) as never))
  const client = join(FOLDER, 'client.ts')
  const texts = new Map([[join(FOLDER, 'api.d.ts'), types]])
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
  const program = ts.createProgram([client], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}
