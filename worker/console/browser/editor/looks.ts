/** The editor's theme, from the page's CSS variables, which also apply in the shadow root. */

import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--muted)', fontWeight: '600' },
  { tag: tags.typeName, color: 'var(--link)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--drift-text)' },
  { tag: tags.number, color: 'var(--changed-text)' },
  { tag: tags.operator, color: 'var(--muted)' },
  { tag: tags.invalid, color: 'var(--failed-text)' },
])

export const LOOKS = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '14px' },
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '1px' },
  '.cm-content': {
    fontFamily: 'var(--mono)',
    minHeight: '7.5rem',
    padding: '8px',
    caretColor: 'var(--ink)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--edge)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--link)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.75' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', fontFamily: 'var(--mono)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection':
    { backgroundColor: 'light-dark(#cfe3f8, #24476b)' },
})
