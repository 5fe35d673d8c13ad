/** Says that there are newer runs. A page never changes under its reader, and a hidden one asks nothing. */

const EVERY_MS = 30_000

interface Newer {
  readonly runs: number
  readonly more: boolean
}

export function watchForNewer(): void {
  const { newer, every } = document.body.dataset
  if (!newer) return
  let tag = ''
  const ask = async (): Promise<void> => {
    if (document.hidden) return
    const response = await fetch(newer, { headers: { 'if-none-match': tag } }).catch(() => null)
    if (response?.status !== 200) return
    tag = response.headers.get('etag') ?? tag
    const found = (await response.json()) as Newer
    if (found.runs > 0) say(found)
  }
  setInterval(() => void ask(), Number(every ?? EVERY_MS))
}

function say({ runs, more }: Newer): void {
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
