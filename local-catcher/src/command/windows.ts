// How a command is started on Windows, where only programs start without a shell, and npm is none.
import { existsSync } from 'node:fs'
import { win32 } from 'node:path'

/**
 * The words to start a command with, looked up in PATH with the endings of PATHEXT as the shell does.
 * A script (.cmd, .bat) becomes a line for cmd.exe, in which nothing is left for it to interpret.
 */
export function windowsCommand(
  [name, ...args]: readonly string[],
  { PATH = '', PATHEXT = '.COM;.EXE;.BAT;.CMD', ComSpec = 'cmd.exe' }: NodeJS.ProcessEnv,
  exists: (file: string) => boolean = existsSync,
): readonly string[] {
  const folders = /[\\/]/.test(name) ? [''] : ['.', ...PATH.split(';')]
  const endings = win32.extname(name) === '' ? PATHEXT.split(';') : ['']
  const files = folders.flatMap((folder) => endings.map((end) => win32.join(folder, name + end)))
  const file = files.find(exists) ?? name
  if (!/\.(cmd|bat)$/i.test(file)) return [file, ...args]
  // cmd.exe reads the line, and again where the script hands its words on, as those of npm do.
  const escape = (text: string) => text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
  const line = [escape(file), ...args.map((each) => escape(escape(quoteForWindows(each))))]
  return [ComSpec, '/d', '/s', '/c', `"${line.join(' ')}"`]
}

/** A word in quotes, as programs on Windows read their command line. */
const quoteForWindows = (word: string): string =>
  `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
