/** The way from a node to the program that runs its agent, where the operator has set one (NODE_LINK). */

import { html, NONE, type Html } from '../html.ts'

/** @param pattern the setting: an address with {certname} */
export const nodeLink = (pattern: string, certname: string): Html =>
  /^https?:\/\//.test(pattern)
    ? html`<a
        class="btn"
        href="${pattern.replaceAll('{certname}', () => encodeURIComponent(certname))}"
        rel="noreferrer"
        >Open in runner</a
      >`
    : NONE
