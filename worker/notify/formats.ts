/**
 * Messages in the form that each service takes. Names and reasons come from nodes, so that every format shows them as
 * plain text: no mark-up, no mentions, no links but ours.
 *
 * Sources: Slack, "Block Kit" (blocks and their lengths); Microsoft, "Create incoming webhooks with Workflows" and
 * Adaptive Cards 1.4 (RichTextBlock shows its runs without Markdown); Discord, "Execute Webhook" (embed limits).
 */

import type { HookFormatName } from '../schema/hook-formats.ts'
import { mailOf } from './mail.ts'
import type { MessageContent } from './message-content.ts'

const RENDERERS: Readonly<Record<HookFormatName, (content: MessageContent) => object>> = {
  slack: ({ title, lines, link, hook }) => ({
    // The text of the notification on a phone, which Slack reads as mark-up.
    text: slackText(title),
    blocks: [
      { type: 'header', text: slackPlain(title, 150) },
      ...lines.map((line) => ({ type: 'section', text: slackPlain(line, 3000) })),
      {
        // A link in a text and not a button: a button of an incoming webhook waits for an app that answers it.
        type: 'context',
        elements: [
          { type: 'mrkdwn', text: `<${link.url}|${slackText(link.name)}>` },
          slackPlain(hook, 150),
        ],
      },
    ],
    unfurl_links: false,
  }),

  teams: ({ title, lines, link, hook }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            teamsText(title, { weight: 'Bolder', size: 'Medium' }),
            ...lines.map((line) => teamsText(line)),
            teamsText(hook, { isSubtle: true, size: 'Small' }),
          ],
          actions: [{ type: 'Action.OpenUrl', title: link.name, url: link.url }],
        },
      },
    ],
  }),

  discord: ({ title, lines, link, hook, mood, timestamp }) => ({
    embeds: [
      {
        title: cut(discordText(title), 256),
        url: link.url,
        description: cut(
          [...lines.map(discordText), `[${link.name}](${link.url})`].join('\n\n'),
          4096,
        ),
        color: COLOURS[mood],
        footer: { text: hook },
        timestamp,
      },
    ],
    allowed_mentions: { parse: [] },
  }),

  email: mailOf,

  webhook: ({ type, timestamp, title, lines, link, data }) => ({
    type,
    timestamp,
    text: [title, ...lines, link.url].join('\n'),
    url: link.url,
    data,
  }),
}

/** The body of a message in a format. */
export const renderedAs = (format: HookFormatName, content: MessageContent): object =>
  RENDERERS[format](content)

/** Of the bar beside an embed: the console's red, green and amber. */
const COLOURS = { bad: 0xc0281c, good: 0x1a7f45, warning: 0xb26a00 } as const

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`

/** The three characters that mean something in Slack's texts. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const slackPlain = (text: string, most: number): object => ({
  type: 'plain_text',
  text: cut(text, most),
  emoji: false,
})

const teamsText = (text: string, style: object = {}): object => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
})

const discordText = (text: string): string => text.replace(/[\\*_~`|>#[\]()<@]/g, '\\$&')
