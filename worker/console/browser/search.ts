/** The search field of the header: Ctrl K or ⌘K opens it, and what is found is listed below it as typed. */

const PAUSE_MS = 120

export function suggestAsTyped(): void {
  const form = document.querySelector<HTMLFormElement>('form[role=search]')
  const input = form?.querySelector('input')
  if (!form || !input) return
  const list = document.createElement('div')
  list.className = 'found'
  list.id = 'found'
  list.role = 'listbox'
  list.ariaLabel = 'Found'
  list.hidden = true
  form.append(list)
  input.role = 'combobox'
  input.ariaAutoComplete = 'list'
  input.setAttribute('aria-controls', list.id)
  const show = (shown: boolean): void => {
    list.hidden = !shown
    input.ariaExpanded = String(shown)
    mark(input, list, null)
  }
  show(false)
  let waiting = 0
  let latest = 0
  const ask = async (): Promise<void> => {
    const number = ++latest
    const text = input.value.trim()
    if (text === '') return show(false)
    const response = await fetch(`/console/suggest?q=${encodeURIComponent(text)}`).catch(() => null)
    if (number !== latest || !response?.ok || response.redirected) return
    const found = new DOMParser().parseFromString(await response.text(), 'text/html')
    if (number !== latest || document.activeElement !== input) return
    list.replaceChildren(...found.body.childNodes)
    show(true)
  }
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => void ask(), PAUSE_MS)
  })
  input.addEventListener('keydown', (event) => {
    if (list.hidden) return
    const { key } = event
    const active = list.querySelector<HTMLElement>('[aria-selected]')
    const meant = active ?? onlyOption(list)
    if (key === 'Escape') show(false)
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      mark(input, list, neighbour(list, active, key === 'ArrowDown' ? 1 : -1))
    } else if (key === 'Enter' && meant) meant.click()
    else return
    event.preventDefault()
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) show(false)
  })
  document.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key !== 'k') return
    event.preventDefault()
    input.select()
  })
}

/** What is meant without a choice: the one thing that was found. */
function onlyOption(list: Element): HTMLElement | null {
  const options = list.querySelectorAll<HTMLElement>('[role=option]')
  return options.length === 1 ? options[0]! : null
}

/** The option before or behind one; at the ends, none. */
function neighbour(list: Element, from: Element | null, by: 1 | -1): Element | null {
  const options = [...list.querySelectorAll('[role=option]')]
  if (!from) return options.at(by === 1 ? 0 : -1) ?? null
  return options[options.indexOf(from) + by] ?? null
}

function mark(input: Element, list: Element, option: Element | null): void {
  list.querySelector('[aria-selected]')?.removeAttribute('aria-selected')
  option?.setAttribute('aria-selected', 'true')
  option?.scrollIntoView({ block: 'nearest' })
  if (option) input.setAttribute('aria-activedescendant', option.id)
  else input.removeAttribute('aria-activedescendant')
}
