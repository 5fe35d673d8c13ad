/** A plain table: headings and rows. */

import { each, html, type Content, type Html } from '../html.ts'

/** The head of a table. @param names `#` in front marks a column of numbers, `~` a heading for screen readers only */
export const columns = (...names: readonly string[]): Html =>
  html`<thead>
    <tr>
      ${each(names, (name) => html`<th scope="col" ${name.startsWith('#') ? html` class="n"` : ''}>${name.startsWith('~') ? html`<span class="sr">${name.slice(1)}</span>` : name.replace(/^#/, '')}</th>`)}
    </tr>
  </thead>`

/** @param rows a cell for each heading; the first cell names its row, and cells under `~` hold buttons */
export const table = (headings: readonly string[], rows: readonly (readonly Content[])[]): Html =>
  html`<table class="list cards">
    ${columns(...headings)}
    <tbody>
      ${each(
        rows,
        ([first, ...others]) =>
          html`<tr>
            <th scope="row" class="name">${first}</th>
            ${each(others, (cell, index) => {
              const heading = headings[index + 1]!
              return heading.startsWith('~')
                ? html`<td class="n last">${cell}</td>`
                : html`<td data-l="${heading.replace(/^#/, '')}">${cell}</td>`
            })}
          </tr>`,
      )}
    </tbody>
  </table>`

/** A name that a column may have to shorten, with the whole in its title. */
export const cut = (name: string): Html => html`<span class="cut" title="${name}">${name}</span>`
