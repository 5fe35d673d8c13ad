// The subcommands: the word that each begins with, and where it is. Each is loaded when it is used.
import type { Subcommand } from './subcommand.js'

/** Every subcommand by its word. */
export const SUBCOMMANDS: Readonly<Record<string, () => Promise<Subcommand>>> = {
  check: async () => (await import('../check/command.js')).check,
  replay: async () => (await import('../replay/commands.js')).replaying,
  send: async () => (await import('../replay/commands.js')).sending,
}
