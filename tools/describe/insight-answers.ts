/** The JSON Schema of each insight's answer, from the types of the panels. */

import { join } from 'node:path'
import ts from 'typescript'
import { TypeSchemas } from './type-schema.ts'

/** Where the schemas are stored, relative to the folder of the project. */
export const INSIGHT_ANSWERS = 'tools/openapi/insight-answers.json'
const TABLE = 'worker/insight/panels.ts'

interface InsightAnswers {
  /** Path below `/insight/v1` → schema of its answer. */
  readonly answers: Record<string, unknown>
  /** Schemas that answers refer to. */
  readonly schemas: Record<string, unknown>
}

/** @param root folder of the project */
export function insightAnswers(root: string): InsightAnswers {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) =>
    ts.sys.readFile(path),
  ) as {
    config: object
  }
  const { options } = ts.parseJsonConfigFileContent(
    { ...config, include: [], files: [TABLE] },
    ts.sys,
    root,
  )
  const program = ts.createProgram([join(root, TABLE)], {
    ...options,
    noEmit: true,
  })
  const checker = program.getTypeChecker()
  const schemas = new TypeSchemas(checker)
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, TABLE))!)!
  const table = checker.getExportsOfModule(module).find(({ name }) => name === 'PANELS')!
  const panels = checker.getTypeArguments(checker.getTypeOfSymbol(table) as ts.TypeReference)
  const answers = panels.map((panel) => {
    const [path, answer] = checker.getTypeArguments(panel as ts.TypeReference)
    return [(path as ts.StringLiteralType).value, schemas.schemaOf(answer!)]
  })
  return {
    answers: Object.fromEntries(answers) as InsightAnswers['answers'],
    schemas: schemas.named,
  }
}
