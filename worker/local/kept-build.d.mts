export function keptBuild(
  root: string,
  name: string,
  make: () => Promise<{
    readonly files: Readonly<Record<string, string>>
    readonly inputs: readonly string[]
  }>,
): Promise<string>

export function keptProgram(root: string, program: string): Promise<string>
