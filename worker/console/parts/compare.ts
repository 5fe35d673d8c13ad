/** Forms that lead to the comparison of any two runs, and of the latest runs of two nodes. */

import { html, type Html } from '../html.ts'

/** @param report hash of the later run */
export const compareForm = (report: string): Html =>
  html`<form class="form" action="/console/compare">
    <input type="hidden" name="to" value="${report}" /><label class="field"
      >With another run
      <input
        name="from"
        required
        placeholder="hash of its report"
        autocomplete="off"
        spellcheck="false" /></label
    ><button>Compare</button>
  </form>`

/** @param certname the node whose latest run is the later one */
export const compareNodesForm = (certname: string): Html =>
  html`<form class="form" action="/console/compare">
    <input type="hidden" name="node" value="${certname}" /><label class="field"
      >With the latest run of another node
      <input
        name="other"
        required
        placeholder="full name"
        autocomplete="off"
        spellcheck="false" /></label
    ><button>Compare</button>
  </form>`
