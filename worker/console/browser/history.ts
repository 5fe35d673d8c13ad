/** The history of queries, stored in this browser only. */

const KEY = 'console.queries'
const MOST = 20

export function rememberQueries(): void {
  const field = document.querySelector<HTMLTextAreaElement>('textarea[data-history]')
  const place = document.querySelector<HTMLElement>('.history')
  if (!field || !place) return
  const before = JSON.parse(localStorage.getItem(KEY) ?? '[]') as string[]
  const current = field.defaultValue.trim()
  const others = before.filter((query) => query !== current)
  if (current !== '' && !document.querySelector('[role=alert]')) {
    localStorage.setItem(KEY, JSON.stringify([current, ...others].slice(0, MOST)))
  }
  for (const query of others) {
    const link = document.createElement('a')
    link.href = `/console/query?${new URLSearchParams({ q: query }).toString()}`
    link.className = 'mono'
    link.textContent = query
    const item = document.createElement('li')
    item.append(link)
    place.querySelector('ul')?.append(item)
  }
  place.hidden = others.length === 0
}
