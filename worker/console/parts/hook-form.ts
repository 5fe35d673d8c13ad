/** The form that makes or changes a hook: where its messages go, when, and about which reports. */

import type { HookError } from '../../notify/hooks.ts'
import { MOST_HOURS_OF_SILENCE, shownTarget } from '../../notify/hooks.ts'
import { HOOK_FORMAT_NAMES, HOOK_FORMATS, type HookFormatName } from '../../schema/hook-formats.ts'
import { TRANSITION_NAMES, TRANSITIONS } from '../../schema/transitions.ts'
import type { Hook } from '../../store/hooks.ts'
import { causeAddress } from '../address.ts'
import type { HookFields } from '../hook-form.ts'
import { each, html, NONE, type Content, type Html } from '../html.ts'

interface HookFormFacts {
  readonly fields: HookFields
  /** The hook that is edited; null for a new one. */
  readonly edited: Hook | null
  readonly error: HookError | null
  readonly environments: readonly string[]
  /** The message of the cause that the form names; null without one. */
  readonly causeReason: string | null
}

export const hookForm = (facts: HookFormFacts): Html => {
  const { edited } = facts
  const to = `/console/settings/hooks${edited === null ? '' : `/${edited.name}/edit`}`
  return html`<form class="form" method="post" action="${to}">
    ${whereTo(facts)} ${when(facts)} ${onlyReports(facts)}
    ${
      edited === null
        ? NONE
        : html`<label class="choice"
            ><input type="checkbox" name="new_secret" value="on" /><span
              >Replace the signing secret<small class="muted"
                >Give the new secret to the receiver, or it will reject the messages.</small
              ></span
            ></label
          >`
    }
    <p class="acts">
      <button class="primary">${edited === null ? 'Save notification' : 'Save changes'}</button
      ><button
        formmethod="get"
        formaction="/console/settings#notification"
        name="preview"
        value="${edited?.name ?? 'on'}"
      >
        Preview</button
      ><a class="btn plain" href="/console/settings">Cancel</a>
    </p>
  </form>`
}

export const chosenFormat = (fields: HookFields): HookFormatName =>
  HOOK_FORMAT_NAMES.find((name) => name === fields['format']) ?? 'webhook'

function whereTo(facts: HookFormFacts): Html {
  const { fields, edited } = facts
  const format = chosenFormat(fields)
  return html`<fieldset>
      <legend>Where to</legend>
      <div class="pick">
        ${each(
          HOOK_FORMAT_NAMES,
          (name) =>
            html`<label
              ><input
                type="radio"
                name="format"
                value="${name}"
                ${name === format ? html` checked` : ''}
              /><span
                >${HOOK_FORMATS[name].name}<small class="muted"
                  >${HOOK_FORMATS[name].what}</small
                ></span
              ></label
            >`,
        )}
      </div>
      ${problem(facts, 'format')}
    </fieldset>
    <div class="pair">
      ${
        edited === null
          ? input(facts, 'name', 'Name', {
              placeholder: 'on-call',
              help: 'Shown in the delivery log and in messages.',
            })
          : html`<div class="field">
              <label for="hook-name">Name</label
              ><input id="hook-name" value="${edited.name}" readonly />
              <p class="help">The name cannot be changed.</p>
            </div>`
      }${input(facts, 'url', 'Address', {
        placeholder: edited === null ? HOOK_FORMATS[format].placeholder : shownTarget(edited),
        help:
          edited === null ? HOOK_FORMATS[format].help : 'Leave empty to keep the current address.',
      })}
    </div>`
}

const when = (facts: HookFormFacts): Html =>
  html`<fieldset>
    <legend>When</legend>
    ${each(
      TRANSITION_NAMES,
      (name) =>
        html`<label class="choice"
          ><input
            type="radio"
            name="transition"
            value="${name}"
            ${name === facts.fields['transition'] ? html` checked` : ''}
          /><span>${name === 'silent' ? silence(facts) : TRANSITIONS[name].about}</span></label
        >`,
    )}${problem(facts, 'transition')}${problem(facts, 'hours')}
  </fieldset>`

const silence = ({ fields, error }: HookFormFacts): Html =>
  html`A node is silent for
    <input
      id="hook-hours"
      type="number"
      name="hours"
      min="1"
      max="${MOST_HOURS_OF_SILENCE}"
      value="${fields['hours'] ?? ''}"
      aria-label="Hours of silence"
      ${error?.field === 'hours' ? html` aria-invalid="true" aria-describedby="hook-hours-help"` : ''}
    />
    hours`

function onlyReports(facts: HookFormFacts): Html {
  const { fields, environments, causeReason, error } = facts
  const cause = fields['cause'] ?? ''
  const chosen = fields['environment'] ?? ''
  const known = chosen === '' || environments.includes(chosen)
  const filter = fields['filter'] ?? ''
  return html`<div class="pair">
      <div class="field">
        <label for="hook-environment">Environment</label
        ><select id="hook-environment" name="environment">
          <option value="">All environments</option>
          ${each(known ? environments : [...environments, chosen], (name) => html`<option value="${name}" ${name === chosen ? html` selected` : ''}>${name}</option>`)}
        </select>
      </div>
      ${input(facts, 'nodes', 'Only nodes named', { placeholder: 'web-*', help: '* matches any characters.' })}
    </div>
    ${
      cause === ''
        ? NONE
        : html`<label class="choice"
            ><input type="checkbox" name="cause" value="${cause}" checked /><span
              >Only this cause<small
                ><a href="${causeAddress(cause, { since: 'all' })}"
                  >${causeReason ?? `cause ${cause}`}</a
                ></small
              ></span
            ></label
          >`
    }${problem(facts, 'cause')}
    <details ${filter !== '' || error?.field === 'filter' ? html` open` : ''}>
      <summary>Only reports matching a query (PQL)</summary>
      ${input(facts, 'filter', 'Condition on reports', { placeholder: 'status = "failed"', code: true })}
    </details>`
}

/** A text field with its label, and below it help or what is wrong with it. */
function input(
  facts: HookFormFacts,
  name: string,
  label: string,
  { placeholder, help = '', code = false }: { placeholder: string; help?: string; code?: boolean },
): Html {
  const wrong = facts.error?.field === name
  const below: Content = wrong
    ? problem(facts, name)
    : help === ''
      ? NONE
      : html`<p class="help" id="hook-${name}-help">${help}</p>`
  return html`<div class="field">
    <label for="hook-${name}">${label}</label
    ><input
      id="hook-${name}"
      name="${name}"
      ${code ? html` class="mono"` : ''}
      value="${facts.fields[name] ?? ''}"
      placeholder="${placeholder}"
      autocomplete="off"
      spellcheck="false"
      ${wrong ? html` aria-invalid="true" autofocus` : ''}${below === NONE ? '' : html` aria-describedby="hook-${name}-help"`}
    />${below}
  </div>`
}

/** What is wrong with a field, in the place of its help. */
const problem = ({ error }: HookFormFacts, name: string): Html =>
  error?.field === name
    ? html`<p class="help failed" id="hook-${name}-help" role="alert">${error.message}</p>`
    : NONE
