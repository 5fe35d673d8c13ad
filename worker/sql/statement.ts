/** What a D1 statement may be given: text and numbers as they are, bytes for BLOB columns. */
export type Parameter = string | number | null | Uint8Array

/** SQL text together with its parameters; one never travels without the other. */
export interface Statement {
  readonly sql: string
  readonly params: readonly Parameter[]
}
