/** The formats of messages: which service each is for, and how an operator finds the address to send to. */

export interface HookFormat {
  readonly name: string
  /** What the address leads to, in two words. */
  readonly what: string
  /** Where the service shows the address. */
  readonly help: string
  readonly placeholder: string
  /** Hosts that understand this format only. */
  readonly only: RegExp | null
}

export const HOOK_FORMATS = {
  slack: {
    name: 'Slack',
    what: 'chat webhook',
    help: 'In Slack: Apps, Incoming WebHooks, Add to Slack.',
    placeholder: 'https://hooks.slack.com/services/…',
    only: null,
  },
  teams: {
    name: 'Teams',
    what: 'workflow',
    help: 'In Teams: the channel’s menu, Workflows, “Post to a channel when a webhook request is received”.',
    placeholder: 'https://….logic.azure.com/workflows/…',
    only: /\.(?:logic\.azure\.com|powerplatform\.com|webhook\.office\.com)$/,
  },
  discord: {
    name: 'Discord',
    what: 'channel webhook',
    help: 'In Discord: Edit Channel, Integrations, Webhooks, New Webhook, Copy Webhook URL.',
    placeholder: 'https://discord.com/api/webhooks/…',
    only: /^(?:[a-z]+\.)?discord(?:app)?\.com$/,
  },
  email: {
    name: 'E-mail',
    what: 'mail address',
    help: 'mailto: and an address, such as mailto:ops@example.com. It needs a server of your own with SMTP_URL.',
    placeholder: 'mailto:ops@example.com',
    only: null,
  },
  webhook: {
    name: 'Webhook',
    what: 'signed JSON',
    help: 'Any receiver of JSON over HTTPS, signed as Standard Webhooks. Mattermost and Rocket.Chat show its text.',
    placeholder: 'https://example.com/hook',
    only: null,
  },
} as const satisfies Readonly<Record<string, HookFormat>>

export type HookFormatName = keyof typeof HOOK_FORMATS
export const HOOK_FORMAT_NAMES = Object.keys(HOOK_FORMATS) as readonly HookFormatName[]
