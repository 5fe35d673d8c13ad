/** Replaces the query's text field with the editor when the field first gets the focus. */

interface Editor {
  readonly mountEditor: (field: HTMLTextAreaElement) => void
}

export function loadEditor(): void {
  const field = document.querySelector<HTMLTextAreaElement>('textarea[data-editor]')
  if (!field) return
  const run = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) field.form?.requestSubmit()
  }
  field.addEventListener('keydown', run)
  const load = async (): Promise<void> => {
    const module = (await import(field.dataset['editor']!)) as Editor
    module.mountEditor(field)
  }
  field.addEventListener('focus', () => void load(), { once: true })
  if (document.activeElement === field) void load()
}
