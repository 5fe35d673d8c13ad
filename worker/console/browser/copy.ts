/** Makes permalinks copy their address when clicked. Without script they are plain links. */

export function copyOnClick(): void {
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-copy]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !isSecureContext) return
    event.preventDefault()
    void navigator.clipboard.writeText(link.href).then(() => {
      const before = link.textContent
      link.textContent = 'Copied'
      setTimeout(() => (link.textContent = before), 1500)
    })
  })
}
