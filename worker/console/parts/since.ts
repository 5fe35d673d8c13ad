/** One line about what happened since the reader last looked. */

import type { Fleet } from '../../insight/fleet.ts'
import type { SinceThen } from '../../insight/since.ts'
import { short } from '../../lib/code-version.ts'
import { deployAddress } from '../address.ts'
import { counted, number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { moment } from './time.ts'

/** Deploys that the line names. */
const NAMED = 3

export function sincePart(
  { now, lastLook }: Visit,
  found: SinceThen | null,
  { silent_groups: groups }: Pick<Fleet, 'silent_groups'>,
): Html {
  if (lastLook === null || found === null) return NONE
  const { began, over, deploys } = found
  const silent = groups.filter(({ since }) => Date.parse(since) >= lastLook)
  const parts: Html[] = [
    ...(began === 0 ? [] : [html`${counted(began, 'cause')} began`]),
    ...(over === 0 ? [] : [html`${counted(over, 'cause')} ${over === 1 ? 'is' : 'are'} over`]),
    ...deploys
      .slice(0, NAMED)
      .map(
        (deploy) =>
          html`<a class="mono" href="${deployAddress(deploy)}">${short(deploy.code_version)}</a>
            broke
            ${counted(deploy.broke, 'node')}${deploy.broken === 0 ? ', none of them broken now' : ''}`,
      ),
    ...(deploys.length > NAMED
      ? [html`${number(deploys.length - NAMED)} more deploys broke nodes`]
      : []),
    ...silent.map(({ group }) => html`<b>${group}</b> fell silent`),
  ]
  return html`<p class="since">
    <b>Since you last looked</b>, ${moment(new Date(lastLook).toISOString(), now)}:
    ${parts.length === 0 ? 'nothing began, nothing broke.' : html`${each(parts, (part, index) => html`${index === 0 ? '' : '; '}${part}`)}.`}
  </p>`
}
