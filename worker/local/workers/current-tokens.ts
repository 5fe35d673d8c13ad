/** The tokens that give access now, where the launcher reads them from a file; they replace the setting TOKENS. */

let tokens: string | null = null

/** @param text of the setting TOKENS */
export function setTokens(text: string): void {
  tokens = text
}

/** The environment with these tokens: the same object until they change, because settings are kept by it. */
export const withTokens = <Environment extends { readonly TOKENS?: unknown }>(
  environment: Environment,
): Environment =>
  tokens === null || environment.TOKENS === tokens
    ? environment
    : { ...environment, TOKENS: tokens }
