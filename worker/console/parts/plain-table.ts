/** A table of what needs no more than columns. */

import { each, html, type Content, type Html } from '../html.ts'

/** The head of a table. @param names those of columns of numbers begin with #, those of pictures, which are only heard, with ~ */
export const columns = (...names: readonly string[]): Html =>
  html`<thead>
    <tr>
      ${each(names, (name) => html`<th scope="col" ${name.startsWith('#') ? html` class="n"` : ''}>${name.startsWith('~') ? html`<span class="sr">${name.slice(1)}</span>` : name.replace(/^#/, '')}</th>`)}
    </tr>
  </thead>`

/** @param rows a cell for each heading; the first of them names its row */
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
