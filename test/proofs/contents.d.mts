export function contentsOf(root: string, paths: readonly string[]): string
