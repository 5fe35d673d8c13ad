/**
 * The rules of the house, as a plugin of Oxlint: who may import whom, and who may know what. All other rules stand in
 * .oxlintrc.json.
 */

import { dirname, join, relative } from 'node:path'
import { MAY_IMPORT, REFUSED_IMPORTS } from './directions.mjs'

const FOLDERS = Object.keys(MAY_IMPORT)

/** A statement's first words, all of them in upper or all in lower case, in a text of a program. */
const STATEMENT =
  /\b(?:SELECT\s[^]*\bFROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:TABLE|INDEX)|ORDER BY|GROUP BY|LEFT JOIN)\b|\b(?:select\s[^]*\bfrom\s|insert\s+(?:or\s+\w+\s+)?into|update\s+\w+\s+set|delete\s+from|create\s+(?:table|index)|left join)\b/

/** A page tells its reader what to ask the history, in a command line. */
const COMMAND_LINE = "commandText('history', 'sql')"

/** Where SQL stands. The local runner keeps the list of applied migrations, as wrangler does elsewhere. */
const WITH_SQL =
  /^(?:worker\/(?:sql|store|ingest|history|outcomes|housekeeping|integrity|insight|local)|tools\/(?:history|deploy))\//

const DATABASE = ['D1Database', 'D1DatabaseSession', 'D1PreparedStatement']
const MESSAGES = ['Request', 'Response']
const D1_MESSAGE = "Only store/ and the Worker's entry know D1."
const MESSAGES_MESSAGE = 'Only http/ and console/ know Request and Response.'

/** Names that folders must not know, as values or as types: the first row that has a file counts. */
const REFUSED_NAMES = [
  { files: /^worker\/http\/respond\.ts$|\.d\.ts$/, names: [], message: '' },
  { files: /^worker\/store\//, names: MESSAGES, message: MESSAGES_MESSAGE },
  { files: /^worker\/(?:http|console)\//, names: DATABASE, message: D1_MESSAGE },
  {
    files: new RegExp(`^worker/(?:${FOLDERS.join('|')})/`),
    names: [...DATABASE, ...MESSAGES],
    message: `${D1_MESSAGE} ${MESSAGES_MESSAGE}`,
  },
]

const STATUS_NUMBER = 'Literal[raw=/^[1-5][0-9][0-9]$/]'
const OUTSIDE_RESPOND = /^worker\/(?:http|console)\/(?!respond\.ts$)/

/** Syntax, as selectors of esquery, that files must not have. */
const REFUSED_SYNTAX = [
  {
    files: new RegExp(`^worker/(?:${FOLDERS.join('|')})/.*(?<!\\.d)\\.ts$`),
    selector: 'ExportDefaultDeclaration',
    message: 'Exports have names; only the Worker itself is a default.',
  },
  {
    files: OUTSIDE_RESPOND,
    selector:
      'NewExpression[callee.name="Response"], CallExpression[callee.object.name="Response"]',
    message: 'Only http/respond.ts makes responses.',
  },
  {
    files: OUTSIDE_RESPOND,
    selector: [
      `Property[key.name="status"] > ${STATUS_NUMBER}`,
      `NewExpression[callee.name=/^(Refused|Denied)$/] > ${STATUS_NUMBER}`,
      `CallExpression[callee.name=/(Response|^respond)$/] > ${STATUS_NUMBER}`,
      `CallExpression[callee.property.name=/^(body|html|json|redirect|text)$/] > ${STATUS_NUMBER}`,
    ].join(', '),
    message: 'Only http/respond.ts knows status numbers.',
  },
]

/** The path of a rule's file from the project's root, with slashes. */
const fileOf = ({ cwd, filename }) => relative(cwd, filename).replaceAll('\\', '/')

/** Rows of a table that are for a rule's file. */
const rowsFor = (table, context) => {
  const file = fileOf(context)
  return table.filter(({ files }) => files.test(file))
}

/** Imports of every form, also those at run time and those that only pass on. */
const imports = {
  create(context) {
    const rows = rowsFor(REFUSED_IMPORTS, context)
    if (rows.length === 0) return {}
    const folder = dirname(fileOf(context))
    const check = ({ source }) => {
      if (typeof source?.value !== 'string') return
      const name = source.value
      const target = name.startsWith('.') ? join(folder, name).replaceAll('\\', '/') : name
      for (const { imports, message } of rows)
        if (imports.test(target)) context.report({ node: source, message })
    }
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    }
  },
}

const names = {
  create(context) {
    const [row] = rowsFor(REFUSED_NAMES, context)
    if (!row || row.names.length === 0) return {}
    return {
      Identifier(node) {
        if (row.names.includes(node.name) && !isKey(node))
          context.report({ node, message: row.message })
      },
    }
  },
}

/** Whether an identifier is only the name of a member: `rule.Response`, `{ Response: … }`. */
const isKey = ({ parent, start }) =>
  !parent.computed &&
  [parent.type === 'MemberExpression' && parent.property, parent.key].some(
    (name) => name && name.start === start && parent.shorthand !== true,
  )

const syntax = {
  create: (context) =>
    Object.fromEntries(
      rowsFor(REFUSED_SYNTAX, context).map(({ selector, message }) => [
        selector,
        (node) => context.report({ node, message }),
      ]),
    ),
}

const sql = {
  create(context) {
    if (WITH_SQL.test(fileOf(context))) return {}
    const check = (node) => {
      const text = context.sourceCode.getText(node)
      if (STATEMENT.test(text) && !text.includes(COMMAND_LINE))
        context.report({ node, message: 'SQL stands in the folders that read and write.' })
    }
    return {
      Literal: (node) => typeof node.value === 'string' && check(node),
      TemplateLiteral: check,
    }
  },
}

/** What a comment turns off here would be an exception, and no file is one. */
const exceptions = {
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments())
        if (/^\s*(?:oxlint|eslint)-(?:disable|enable)/.test(comment.value))
          // At the file's head, where no such comment can reach.
          context.report({ loc: HEAD, message: 'No file is an exception to a rule.' })
    },
  }),
}
const HEAD = { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } }

export default { meta: { name: 'house' }, rules: { imports, names, syntax, sql, exceptions } }
