/** A plain table: headings and rows. */

import { each, html, type Content, type Html } from '../html.ts'

/** The head of a table. @param names `#` in front marks a column of numbers, `~` a heading for screen readers only */
export const columns = (...names: readonly string[]): Html =>
  html`<thead>
    <tr>
      ${each(names, (name) => html`<th scope="col" ${name.startsWith('#') ? html` class="n"` : ''}>${name.startsWith('~') ? html`<span class="sr">${name.slice(1)}</span>` : name.replace(/^#/, '')}</th>`)}
    </tr>
  </thead>`

/** @param rows a cell for each heading; the first cell names its row */
export const table = (headings: readonly string[], rows: readonly (readonly Content[])[]): Html =>
  html`<table class="list cards">
    ${columns(...headings)}
    <tbody>
      ${each(
        rows,
        ([first, ...others]) =>
          html`<tr>
            <th scope="row" class="name">${first}</th>
            ${each(others, (cell, index) => html`<td data-l="${headings[index + 1]}">${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
