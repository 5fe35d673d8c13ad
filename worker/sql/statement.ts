/** The parameters of a D1 statement: text and numbers as they are, bytes for BLOB columns. */
export type Parameter = string | number | null | Uint8Array

/** SQL text with its parameters. */
export interface Statement {
  readonly sql: string
  readonly params: readonly Parameter[]
}

/** A row as D1 answers it: values by column name. */
export type StoredRow = Record<string, unknown>

/** A statement whose rows are read (columns.ts). */
export interface TypedStatement<Row> extends Statement {
  /** Of its columns. */
  readonly names: readonly string[]
  /** Decodes a row as D1 answers it; it may change that object. */
  readonly decode: (stored: StoredRow) => Row
}

/** The rows of each statement of a batch, in the order of the statements. Only those of typed ones can be read. */
export type RowsOf<Statements extends readonly Statement[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends TypedStatement<infer Row>
    ? Row[]
    : unknown[]
}
