/** The menu that leads from a run to its comparison with any other, or with the latest run of another node. */

import { html, NONE, type Html } from '../html.ts'
import { menu } from './menu.ts'

/**
 * @param later a part of the address that names the later run: a report, or the node whose latest run it is
 * @param first what stands above the form
 */
export const compareMenu = (
  later: { readonly to: string } | { readonly node: string },
  first: Html = NONE,
): Html =>
  menu(
    'Compare',
    html`<div>
      ${first}
      <form class="form" action="/console/compare">
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
      </form>
    </div>`,
    'end',
  )
