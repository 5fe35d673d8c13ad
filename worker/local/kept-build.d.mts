export function keptBuild(
  root: string,
  name: string,
  make: () => Promise<{
    readonly files: Readonly<Record<string, string>>
    readonly inputs: readonly string[]
  }>,
): Promise<string>

export function keptProgram(root: string, program: string): Promise<string>
export function programFolder(program: string): string
export declare const PROGRAM: string
export declare const PACKAGED: string
