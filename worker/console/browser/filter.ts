/** Filters as you type: sends the form after a pause and replaces `<main>` with the new one. */

import { showLocalTimes } from './times.ts'

const PAUSE_MS = 250

export function filterAsTyped(): void {
  addEventListener('popstate', () => location.reload())
  let waiting = 0
  let latest = 0
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return
    const form = target.form
    // Forms with more fields, or with an effect, wait for their button.
    if (!form?.matches('.chips .ask')) return
    clearTimeout(waiting)
    const pause = target instanceof HTMLInputElement && target.type !== 'checkbox' ? PAUSE_MS : 0
    waiting = setTimeout(() => void show(form, ++latest, () => latest), pause)
  })
}

/** The address of a form as the browser would make it, without the fields that are empty. */
export function addressOf(form: HTMLFormElement): URL {
  const address = new URL(form.action)
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value !== '') address.searchParams.append(name, value)
  }
  return address
}

async function show(form: HTMLFormElement, number: number, latest: () => number): Promise<void> {
  const address = addressOf(form)
  const response = await fetch(address).catch(() => null)
  if (number !== latest()) return
  // Signed out or offline: let the browser load the page and show what is wrong.
  if (!response || response.redirected) return location.assign(address)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const [main, old] = [page.querySelector('main'), document.querySelector('main')]
  if (number !== latest() || !main || !old) return
  const focus = focused()
  old.replaceWith(document.adoptNode(main))
  document.title = page.title
  // Back undoes what was typed into a field as a whole.
  const again = history.state as unknown
  if (again === form.querySelector('input')?.name) history.replaceState(again, '', address)
  else history.pushState(form.querySelector('input')?.name ?? null, '', address)
  showLocalTimes(document.documentElement.dataset['times'] === 'local', main)
  restore(focus, main)
}

interface Focus {
  readonly name: string
  readonly value: string
  readonly start: number | null
}

function focused(): Focus | null {
  const at = document.activeElement
  if (at instanceof HTMLSelectElement) return { name: at.name, value: '', start: null }
  if (!(at instanceof HTMLInputElement)) return null
  const text = at.type === 'text' || at.type === 'search'
  return { name: at.name, value: at.value, start: text ? at.selectionStart : null }
}

function restore(focus: Focus | null, main: HTMLElement): void {
  if (!focus) return
  for (const field of main.querySelectorAll<HTMLInputElement>('.chips input, .chips select')) {
    if (field.name !== focus.name) continue
    if (field.type === 'checkbox' && field.value !== focus.value) continue
    field.focus()
    if (focus.start !== null) {
      field.value = focus.value
      field.setSelectionRange(focus.start, focus.start)
    }
    return
  }
}
