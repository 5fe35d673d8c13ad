/** Filters as you type: sends the form after a pause and replaces `<main>` with the new one. */

import { showLocalTimes } from './times.ts'

const PAUSE_MS = 250

export function filterAsTyped(): void {
  addEventListener('popstate', () => location.reload())
  let waiting = 0
  let latest = 0
  document.addEventListener('input', ({ target }) => {
    // Forms with more fields, or with an effect, wait for their button.
    if (!(target instanceof HTMLInputElement) || !target.form?.matches('.chips .ask')) return
    clearTimeout(waiting)
    waiting = setTimeout(() => void show(target, ++latest, () => latest), PAUSE_MS)
  })
}

/** The address of a form as the browser would make it, without the fields that are empty. */
function addressOf(form: HTMLFormElement): URL {
  const address = new URL(form.action)
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value !== '') address.searchParams.append(name, value)
  }
  return address
}

async function show(field: HTMLInputElement, number: number, latest: () => number): Promise<void> {
  const address = addressOf(field.form!)
  const response = await fetch(address).catch(() => null)
  if (number !== latest()) return
  // Signed out or offline: let the browser load the page and show what is wrong.
  if (!response || response.redirected) return location.assign(address)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const [main, old] = [page.querySelector('main'), document.querySelector('main')]
  if (number !== latest() || !main || !old) return
  // What was typed meanwhile stands in the field of a page that replaced the first one.
  const at = document.activeElement
  old.replaceWith(document.adoptNode(main))
  document.title = page.title
  // Back undoes what was typed into a field as a whole.
  const again = history.state as unknown
  if (again === field.name) history.replaceState(again, '', address)
  else history.pushState(field.name, '', address)
  showLocalTimes(document.documentElement.dataset['times'] === 'local', main)
  const fresh = main.querySelector<HTMLInputElement>(`.chips .ask [name="${field.name}"]`)
  if (!fresh || !(at instanceof HTMLInputElement) || at.name !== field.name) return
  fresh.focus()
  fresh.value = at.value
  fresh.setSelectionRange(at.selectionStart, at.selectionEnd)
}
