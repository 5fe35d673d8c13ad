/** How long the texts of a message may be in each format: services refuse longer ones. */

import { describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { renderedAs } from '../../worker/notify/formats.ts'
import { mailOf } from '../../worker/notify/mail.ts'
import type { MessageContent } from '../../worker/notify/message-content.ts'
import type { HookFormatName } from '../../worker/schema/hook-formats.ts'

const CONTENT: MessageContent = {
  type: 'node.failed',
  timestamp: '2026-03-02T12:00:00.000Z',
  title: 'title',
  lines: ['line'],
  link: { name: 'page', url: 'http://service.example/x', topic: null },
  hook: 'hook',
  mood: 'bad',
  data: {},
}
/** What Discord's description has beside a line: two line feeds and the link. */
const LINK_LENGTH = '\n\n[page](http://service.example/x)'.length

const titled = (title: string): MessageContent => ({ ...CONTENT, title })
const lined = (line: string): MessageContent => ({ ...CONTENT, lines: [line] })
const hooked = (hook: string): MessageContent => ({ ...CONTENT, hook })

/** The texts anywhere in a message. */
const textsIn = (value: Json): string[] =>
  typeof value === 'string'
    ? [value]
    : value !== null && typeof value === 'object'
      ? Object.values(value as Record<string, Json>).flatMap(textsIn)
      : []

describe.each<
  [HookFormatName, string, make: (text: string) => MessageContent, most: number, beside: number]
>([
  ['slack', 'title', titled, 150, 0],
  ['slack', 'line', lined, 3000, 0],
  ['slack', 'hook', hooked, 150, 0],
  ['discord', 'title', titled, 256, 0],
  ['discord', 'line', lined, 4096, LINK_LENGTH],
])('%s takes a %s of at most', (format, _, make, most, beside) => {
  it.each([
    [most - 1, false],
    [most, false],
    [most + 1, true],
  ])('%i characters: cut is %s', (length, isCut) => {
    const message = renderedAs(format, make('x'.repeat(length - beside)))
    const texts = textsIn(JSON.parse(JSON.stringify(message)) as Json)
    const cut = texts.filter((text) => text.endsWith('…'))
    expect(cut.map((text) => text.length)).toEqual(isCut ? [most] : [])
    expect(texts.some((text) => text.startsWith('x'.repeat(most - beside - 1)))).toBe(true)
  })
})

it.each([
  [149, 149],
  [150, 150],
  [151, 150],
])('the subject of a mail with %i characters has %i', (length, expected) => {
  const { subject } = mailOf(titled(`t${'x'.repeat(length - 1)}`))
  expect(subject.length).toBe(expected)
  expect(subject).toMatch(length > 150 ? /^tx{148}…$/ : /^tx+$/)
})

it.each([
  [{ mood: 'bad' }, 0xc0281c],
  [{ mood: 'good' }, 0x1a7f45],
  [{ mood: 'warning' }, 0xb26a00],
] as const)('Discord shows %j in its colour', (mood, color) => {
  expect(renderedAs('discord', { ...CONTENT, ...mood })).toMatchObject({ embeds: [{ color }] })
})
