/** Finds mutants that the compiler refuses: `npm run check` kills them without a test. */

import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'

/** A TypeScript project whose files can be replaced one at a time. */
export class TypeChecker {
  private readonly service: ts.LanguageService
  private replaced: { readonly path: string; readonly text: string } | null = null
  private version = 0

  /**
   * @param config path of a tsconfig.json
   * @param isOwn selects the files that are compiled, beside what they import
   */
  constructor(config: string, isOwn: (path: string) => boolean) {
    const { config: content } = ts.readConfigFile(config, (path) => ts.sys.readFile(path)) as {
      config: unknown
    }
    const parsed = ts.parseJsonConfigFileContent(content, ts.sys, dirname(config))
    // A name that nothing uses any more changes nothing, so tests decide.
    const options = {
      ...parsed.options,
      noEmit: true,
      incremental: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
    }
    const paths = parsed.fileNames.filter(isOwn)
    const snapshots = new Map<string, ts.IScriptSnapshot>()
    const host: ts.LanguageServiceHost = {
      getCompilationSettings: () => options,
      getScriptFileNames: () => paths,
      getScriptVersion: (path) => (path === this.replaced?.path ? `${this.version}` : 'as it is'),
      getScriptSnapshot: (path) => {
        if (path === this.replaced?.path) return ts.ScriptSnapshot.fromString(this.replaced.text)
        const known = snapshots.get(path)
        if (known || !ts.sys.fileExists(path)) return known
        const snapshot = ts.ScriptSnapshot.fromString(readFileSync(path, 'utf8'))
        snapshots.set(path, snapshot)
        return snapshot
      },
      getCurrentDirectory: () => dirname(config),
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
      fileExists: (path) => ts.sys.fileExists(path),
      readFile: (path) => ts.sys.readFile(path),
      readDirectory: (...parameters) => ts.sys.readDirectory(...parameters),
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
    }
    this.service = ts.createLanguageService(host, ts.createDocumentRegistry())
  }

  /** The first error in a file that has another text, null where the compiler accepts it. */
  errorIn(file: string, text: string): string | null {
    const path = resolve(file)
    this.version++
    this.replaced = { path, text }
    const [error] = [
      ...this.service.getSyntacticDiagnostics(path),
      ...this.service.getSemanticDiagnostics(path),
    ]
    return error === undefined ? null : ts.flattenDiagnosticMessageText(error.messageText, ' ')
  }
}

/** The types of the service and of the catcher. */
export function projectTypes(root: string): (file: string) => TypeChecker {
  const made = new Map<string, TypeChecker>()
  return (file) => {
    const [folder] = file.split('/')
    const known = made.get(folder!)
    if (known) return known
    const config = join(folder === 'local-catcher' ? folder : '', 'tsconfig.json')
    const own = `${join(root, folder!)}/`
    const checker = new TypeChecker(join(root, config), (path) => path.startsWith(own))
    made.set(folder!, checker)
    return checker
  }
}
