/** The mutants of a file: each is one small change of an expression or a statement, found by its syntax alone. */

import ts from 'typescript'

export type MutationKind = 'comparison' | 'operator' | 'constant' | 'dropped'

/** A change of the text between two offsets of a file. */
export interface Mutant {
  /** Path from the root of the checkout. */
  readonly file: string
  readonly kind: MutationKind
  readonly start: number
  readonly end: number
  readonly after: string
  readonly before: string
  /** Number of its line, from 1, and that line without indentation. */
  readonly line: number
  readonly source: string
  /** Place among the mutants of the line. */
  readonly ordinal: number
  /** The sides of a comparison. */
  readonly sides: readonly string[]
  /** Index of the innermost block in `Syntax.blocks`, -1 for what runs when the module is loaded. */
  readonly block: number
}

/** A place where a block of statements, or the expression of an arrow function, begins to run. */
export interface Block {
  readonly start: number
  /** End of an expression, null for statements. */
  readonly end: number | null
}

export interface Syntax {
  readonly mutants: readonly Mutant[]
  readonly blocks: readonly Block[]
  /** Modules that it imports, as they are written. */
  readonly imports: readonly string[]
}

const { SyntaxKind } = ts

const COMPARISONS = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsToken, '!='],
  [SyntaxKind.ExclamationEqualsToken, '=='],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
])

const OPERATORS = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
  [SyntaxKind.AsteriskToken, '/'],
  [SyntaxKind.SlashToken, '*'],
  [SyntaxKind.PercentToken, '*'],
  [SyntaxKind.PlusEqualsToken, '-='],
  [SyntaxKind.MinusEqualsToken, '+='],
  [SyntaxKind.AmpersandToken, '|'],
  [SyntaxKind.BarToken, '&'],
  [SyntaxKind.LessThanLessThanToken, '>>'],
  [SyntaxKind.GreaterThanGreaterThanToken, '<<'],
  [SyntaxKind.PlusPlusToken, '--'],
  [SyntaxKind.MinusMinusToken, '++'],
])

/** Their arguments are for people who read the log. */
const LOGS = /^(?:log|warn|tell|say|console\.\w+)$/

/** Holds unless the code has a bug, so that no test can see it missing. */
const ASSERTIONS = /^(?:invariant|unreachable)$/

/** What has no meaning when the program runs, or only text for people in it. */
const isSilent = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  (ts.isCallExpression(node) && LOGS.test(node.expression.getText()))

/**
 * Reads a file.
 *
 * @param file path from the root of the checkout
 */
export function syntaxOf(file: string, text: string): Syntax {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const mutants: Mutant[] = []
  const blocks: Block[] = []
  const imports: string[] = []
  const linesOfMutants = new Map<number, number>()

  const add = (
    kind: MutationKind,
    node: ts.Node,
    after: string,
    block: number,
    sides: readonly string[] = [],
  ): void => {
    const start = node.getStart()
    const line = tree.getLineAndCharacterOfPosition(start).line
    const ordinal = linesOfMutants.get(line) ?? 0
    linesOfMutants.set(line, ordinal + 1)
    const end = node.getEnd()
    const source = text.split('\n', line + 1)[line]!.trim()
    const before = text.slice(start, end)
    const place = { start, end, line: line + 1, source, ordinal, block }
    mutants.push({ file, kind, after, before, sides, ...place })
  }

  /** Adds a block, if the node has its own statements. @returns the block that its children are in */
  const enter = (node: ts.Node, block: number): number => {
    if (ts.isBlock(node) && !ts.isFunctionLike(node.parent)) {
      return blocks.push({ start: node.getStart() + 1, end: null }) - 1
    }
    if (ts.isCaseOrDefaultClause(node) && node.statements.length > 0) {
      return blocks.push({ start: node.statements[0]!.getStart(), end: null }) - 1
    }
    const body = ts.isFunctionLike(node) && 'body' in node ? node.body : undefined
    if (body === undefined) return block
    return ts.isBlock(body)
      ? blocks.push({ start: body.getStart() + 1, end: null }) - 1
      : blocks.push({ start: body.getStart(), end: body.getEnd() }) - 1
  }

  const visit = (node: ts.Node, outer: number): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const { moduleSpecifier } = node
      if (moduleSpecifier && ts.isStringLiteral(moduleSpecifier)) imports.push(moduleSpecifier.text)
    }
    if (isSilent(node)) return
    const block = enter(node, outer)
    if (ts.isStatement(node) && isDroppable(node)) add('dropped', node, '{}', block)
    else if (ts.isBinaryExpression(node)) {
      const { kind } = node.operatorToken
      const comparison = COMPARISONS.get(kind)
      const operator = isConcatenation(node) ? undefined : OPERATORS.get(kind)
      const sides = [node.left.getText(), node.right.getText()]
      if (comparison !== undefined) add('comparison', node.operatorToken, comparison, block, sides)
      else if (operator !== undefined) add('operator', node.operatorToken, operator, block)
    } else if (ts.isPrefixUnaryExpression(node)) {
      if (node.operator === SyntaxKind.ExclamationToken || node.operator === SyntaxKind.MinusToken)
        add('operator', node, `(${node.operand.getText()})`, block)
    } else if (ts.isPostfixUnaryExpression(node)) {
      add('operator', node, `${node.operand.getText()}${OPERATORS.get(node.operator)}`, block)
    } else {
      const constant = otherConstant(node)
      if (constant !== null) add('constant', node, constant, block)
    }
    ts.forEachChild(node, (child) => visit(child, block))
  }
  visit(tree, -1)
  return { mutants, blocks, imports }
}

/** Whether a text is on a side, so that `+` joins texts. */
function isConcatenation({ left, operatorToken, right }: ts.BinaryExpression): boolean {
  const isText = (side: ts.Expression): boolean =>
    ts.isStringLiteralLike(side) ||
    ts.isTemplateExpression(side) ||
    (ts.isBinaryExpression(side) && isConcatenation(side))
  const joins = [SyntaxKind.PlusToken, SyntaxKind.PlusEqualsToken].includes(operatorToken.kind)
  return joins && (isText(left) || isText(right))
}

/** A statement that can be left out: one with an effect, or a condition that leaves its block early. */
function isDroppable(node: ts.Statement): boolean {
  if (ts.isIfStatement(node)) return !node.elseStatement && isLeaving(onlyStatement(node))
  if (isLeaving(node)) {
    const owner = ts.isBlock(node.parent) ? node.parent.parent : node.parent
    const isOfCondition =
      ts.isIfStatement(owner) && !owner.elseStatement && onlyStatement(owner) === node
    return !isOfCondition && !ts.isReturnStatement(node) && !ts.isCaseOrDefaultClause(node.parent)
  }
  if (!ts.isExpressionStatement(node)) return false
  const { expression } = node
  const called = ts.isAwaitExpression(expression) ? expression.expression : expression
  if (ts.isStringLiteral(called)) return false
  const callee = ts.isCallExpression(called) ? called.expression.getText() : ''
  return !LOGS.test(callee) && !ASSERTIONS.test(callee)
}

const isLeaving = (node: ts.Statement): boolean =>
  ts.isReturnStatement(node) ||
  ts.isThrowStatement(node) ||
  ts.isContinueStatement(node) ||
  ts.isBreakStatement(node)

function onlyStatement({ thenStatement }: ts.IfStatement): ts.Statement {
  if (!ts.isBlock(thenStatement)) return thenStatement
  return thenStatement.statements.length === 1 ? thenStatement.statements[0]! : thenStatement
}

/** Another value for a number or a boolean; null for other nodes. */
function otherConstant(node: ts.Node): string | null {
  if (node.kind === SyntaxKind.TrueKeyword) return 'false'
  if (node.kind === SyntaxKind.FalseKeyword) return 'true'
  if (ts.isBigIntLiteral(node)) return `${BigInt(node.text.slice(0, -1)) + 1n}n`
  if (!ts.isNumericLiteral(node)) return null
  const isName = 'name' in node.parent && node.parent.name === node
  return isName ? null : String(Number(node.text) + 1)
}

/** The text of the file with the mutant in it. */
export const mutated = (text: string, { start, end, after }: Mutant): string =>
  text.slice(0, start) + after + text.slice(end)

/** The mutation in a few words: `<= → <`. */
export const mutationText = ({ kind, before, after }: Mutant): string => {
  const [first, ...rest] = before.split('\n')
  return kind === 'dropped'
    ? `dropped: ${first}${rest.length > 0 ? ' …' : ''}`
    : `${before} → ${after}`
}
