/** The query editor: CodeMirror in front of the form's text field, which it keeps up to date. */

import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, syntaxHighlighting } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { EditorView, keymap, placeholder } from '@codemirror/view'
import { completeFrom, problemsFrom } from './ask.ts'
import { pql } from './pql.ts'
import { COLOURS, LOOKS } from './looks.ts'

/**
 * Mounts the editor before the field and hides the field. In a shadow root CodeMirror adopts its style
 * sheets, which a strict content security policy allows.
 */
export function mountEditor(field: HTMLTextAreaElement): void {
  const host = document.createElement('div')
  host.className = 'editor'
  field.before(host)
  const root = host.attachShadow({ mode: 'open' })
  const submit = (): boolean => {
    field.form?.requestSubmit()
    return true
  }
  const view = new EditorView({
    doc: field.value,
    root,
    parent: root,
    extensions: [
      keymap.of([{ key: 'Mod-Enter', run: submit }]),
      history(),
      bracketMatching(),
      closeBrackets(),
      // CodeMirror's icons are characters that few fonts have.
      autocompletion({ override: [completeFrom(field.dataset['complete']!)], icons: false }),
      linter(problemsFrom(field.dataset['check']!), { delay: 400 }),
      keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
      pql,
      syntaxHighlighting(COLOURS),
      LOOKS,
      placeholder(field.placeholder),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': field.labels[0]?.textContent ?? 'Query' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) field.value = update.state.doc.toString()
      }),
    ],
  })
  view.dispatch({ selection: { anchor: field.selectionEnd } })
  field.hidden = true
  view.focus()
}
