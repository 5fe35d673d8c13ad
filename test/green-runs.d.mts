export function fingerprintOf(
  root: string,
  paths: readonly string[],
  others?: readonly string[],
  path?: string,
): string
export function greenSince(root: string, suite: string, fingerprint: string): Date | null
export function keepGreen(root: string, suite: string, fingerprint: string | null): void
