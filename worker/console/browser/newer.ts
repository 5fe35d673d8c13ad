/** Shows a note when newer runs arrive. The page itself never changes, and hidden pages don't check. */

const EVERY_MS = 30_000

interface Newer {
  readonly runs: number
  readonly more: boolean
}

export function watchForNewer(): void {
  const { newer, every } = document.body.dataset
  if (!newer) return
  let tag = ''
  const check = async (): Promise<void> => {
    if (document.hidden) return
    const response = await fetch(newer, { headers: { 'if-none-match': tag } }).catch(() => null)
    if (response?.status !== 200) return
    tag = response.headers.get('etag') ?? tag
    const found = (await response.json()) as Newer
    if (found.runs > 0) showNote(found)
  }
  setInterval(() => void check(), Number(every ?? EVERY_MS))
}

function showNote({ runs, more }: Newer): void {
  document.querySelector('.newer')?.remove()
  const bar = document.createElement('div')
  bar.className = 'newer'
  bar.role = 'status'
  const show = document.createElement('a')
  show.href = location.href
  show.textContent = 'show'
  bar.append(`${runs}${more ? ' or more' : ''} newer ${runs === 1 ? 'run' : 'runs'} · `, show)
  document.body.append(bar)
}
