export interface Command {
  readonly program: string
  readonly about: string
}
export type CommandName =
  | 'start'
  | 'token'
  | 'backup'
  | 'restore'
  | 'check-database'
  | 'import'
  | 'compare'
  | 'history'
export declare const COMMANDS: Readonly<Record<CommandName, Command>>
export declare const PACKAGE: string
export declare function typed(name: CommandName, words?: string): string
export declare function shellWord(path: string): string
