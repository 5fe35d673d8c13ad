/** The icons, drawn on 12 × 12: filled for what happened, outlined for noop. */

import { raw } from '../html.ts'

const SYMBOLS: Readonly<Record<string, string>> = {
  cross: 'M2.6 1 6 4.4 9.4 1 11 2.6 7.6 6 11 9.4 9.4 11 6 7.6 2.6 11 1 9.4 4.4 6 1 2.6z',
  diamond: 'M6 .8 11.2 6 6 11.2.8 6z',
  disc: 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9z',
  dash: 'M2 5h8v2H2z',
  clock:
    'M6 .5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zm0 1.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5.3 3h1.4v2.7l1.7 1-.7 1.2-2.4-1.5z',
  skip: 'M1 2.5 5 6 1 9.5zM6 2.5 10 6 6 9.5zM10 2.5h1.4v7H10z',
  plus: 'M5 1h2v4h4v2H7v4H5V7H1V5h4z',
  deploy: 'M6 1.5 11 10H1z',
}

/** The definitions of all icons, once per page; `<use>` refers to them. */
export const SPRITE = raw(
  `<svg hidden>${Object.entries(SYMBOLS)
    .map(
      ([name, path]) => `<symbol id="i-${name}" viewBox="0 0 12 12"><path d="${path}"/></symbol>`,
    )
    .join('')}</svg>`,
)

/** The favicon: red with the number of new causes, if there are any. */
export function favicon(news: number): string {
  const [fill, text] = news > 0 ? ['#b3140c', news > 99 ? '99' : String(news)] : ['#586470', '']
  const label =
    text &&
    `<text x="16" y="23" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="20" fill="#fff">${text}</text>`
  const bars = text ? '' : '<path fill="#fff" d="M7 18h4v7H7zM14 13h4v12h-4zM21 7h4v18h-4z"/>'
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="${fill}"/>${bars}${label}</svg>`)}`
}
