/** The JSON Schema of each insight's answer, from the types of worker/http/insights/insights.ts. */

import { join } from 'node:path'
import ts from 'typescript'
import { TypeSchemas } from './type-schema.ts'

/** Where the schemas are stored, relative to the folder of the project. */
export const INSIGHT_ANSWERS = 'worker/http/openapi/insight-answers.json'
const TABLE = 'worker/http/insights/insights.ts'

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
    incremental: false,
    noEmit: true,
  })
  const checker = program.getTypeChecker()
  const schemas = new TypeSchemas(checker)
  const answers: Record<string, unknown> = {}
  const visit = (node: ts.Node): void => {
    const found = answerIn(node, checker)
    if (found) answers[found.path] = schemas.schemaOf(found.answer)
    ts.forEachChild(node, visit)
  }
  visit(program.getSourceFile(join(root, TABLE))!)
  return { answers, schemas: schemas.named }
}

/** The path and the type of the answer of a row: `insight(path, takes, ask)`, or an object with `path` and `answer`. */
function answerIn(node: ts.Node, checker: ts.TypeChecker) {
  if (ts.isCallExpression(node) && node.expression.getText() === 'insight') {
    const [path, , ask] = node.arguments
    if (path && ask && ts.isStringLiteral(path)) {
      const read = checker.getReturnTypeOfSignature(signatureOf(checker.getTypeAtLocation(ask)))
      return { path: path.text, answer: resultOf(read, 'read', checker) }
    }
  }
  if (ts.isObjectLiteralExpression(node)) {
    const path = node.properties.find((one) => one.name?.getText() === 'path')
    if (path && ts.isPropertyAssignment(path) && ts.isStringLiteral(path.initializer)) {
      const promised = resultOf(checker.getTypeAtLocation(node), 'answer', checker)
      const answer = checker.getAwaitedType(promised)!.getProperty('answer')!
      return { path: path.initializer.text, answer: checker.getTypeOfSymbol(answer) }
    }
  }
  return null
}

const signatureOf = (type: ts.Type): ts.Signature => type.getCallSignatures()[0]!

/** The type that a method returns. */
const resultOf = (type: ts.Type, method: string, checker: ts.TypeChecker): ts.Type =>
  signatureOf(checker.getTypeOfSymbol(type.getProperty(method)!)).getReturnType()
