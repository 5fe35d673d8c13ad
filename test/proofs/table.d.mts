export const ROOT: string
export const PROOFS: Readonly<
  Record<
    string,
    {
      rooms: readonly string[]
      tests?: readonly string[]
      command?: readonly string[]
      needs?: string
    }
  >
>
export function testsOf(name: string): string[]
export function decisive(name: string): string[]
