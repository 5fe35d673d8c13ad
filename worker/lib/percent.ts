/** Percent-encoding of addresses. */

/** The text that a part of an address means; one that can't be decoded is itself. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
