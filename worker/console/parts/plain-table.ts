/** A table of what needs no more than columns. */

import { each, html, type Content, type Html } from '../html.ts'

/** @param rows a cell for each heading; the first of them names its row */
export const table = (headings: readonly string[], rows: readonly (readonly Content[])[]): Html =>
  html`<table class="list cards">
    <thead>
      <tr>
        ${each(headings, (heading) => html`<th scope="col">${heading}</th>`)}
      </tr>
    </thead>
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
