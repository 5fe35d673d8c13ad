/** The form that leads from a run to its comparison with any other. */

import { html, type Html } from '../html.ts'

/** @param later a part of the address that names the later run: a report, or the node whose latest run it is */
export const compareForm = (later: { readonly to: string } | { readonly node: string }): Html =>
  html`<form class="form" action="/console/compare">
    ${Object.entries(later).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}<label
      class="field"
      >With the latest run of a node, or a report
      <input
        name="other"
        required
        placeholder="part of a name, or a hash"
        autocomplete="off"
        spellcheck="false" /></label
    ><button>Compare</button>
  </form>`
