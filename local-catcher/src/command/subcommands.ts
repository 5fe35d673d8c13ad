// The subcommands: the word that each begins with, and where it is. Each is loaded when it is used.
import type { Subcommand } from './subcommand.js'

/** Loads a subcommand. */
export type Load = () => Promise<Subcommand>

/** Every subcommand by its word. */
export const SUBCOMMANDS: Readonly<Record<string, Load>> = {
  check: async () => (await import('../check/command.js')).check,
  replay: async () => (await import('../replay/replay-command.js')).replaying,
  send: async () => (await import('../replay/send-command.js')).sending,
}
