// What is otherwise on Windows and macOS, as far as it can be known elsewhere.
import { describe, expect, it } from 'vitest'
import { explain } from '../src/address.js'
import { windowsCommand } from '../src/command/windows.js'

describe('a command on Windows', () => {
  const environment = { PATH: 'C:\\Windows;C:\\node', PATHEXT: '.EXE;.CMD', ComSpec: 'C:\\cmd.exe' }
  const files = ['C:\\node\\node.EXE', 'C:\\node\\npm.CMD', 'C:\\my tools\\x.bat', 'tool.EXE']
  const found = (...words: string[]) =>
    windowsCommand(words, environment, (file) => files.includes(file))
  const script = (line: string) => ['C:\\cmd.exe', '/d', '/s', '/c', `"${line}"`]

  it.each<[what: string, words: string[], started: string[]]>([
    ['a program in PATH', ['node', 'a b', '"'], ['C:\\node\\node.EXE', 'a b', '"']],
    ['a program with its ending', ['node.EXE'], ['C:\\node\\node.EXE']],
    ['a program in this folder', ['tool'], ['tool.EXE']],
    ['what is not there', ['nothing', 'x'], ['nothing', 'x']],
    ['npm, which is a script', ['npm', 'test'], script('C:\\node\\npm.CMD ^^^"test^^^"')],
    ['a script with a path', ['C:\\my tools\\x.bat'], script('C:\\my^ tools\\x.bat')],
    [
      'words that cmd.exe would interpret',
      ['npm', 'a&b', '%PATH%', 'x y'],
      script('C:\\node\\npm.CMD ^^^"a^^^&b^^^" ^^^"^^^%PATH^^^%^^^" ^^^"x^^^ y^^^"'),
    ],
    ['quotes and backslashes', ['npm', 'a"b\\'], script('C:\\node\\npm.CMD ^^^"a\\^^^"b\\\\^^^"')],
  ])('is started: %s', (_what, words, started) => {
    expect(found(...words)).toEqual(started)
  })

  it('is looked up among the files that are there', () => {
    // This folder has a bin.js.
    const environment = { PATH: '', PATHEXT: '.NONE;.js' }
    expect(windowsCommand(['bin', 'x'], environment)).toEqual(['bin.js', 'x'])
    expect(windowsCommand(['no-such-command-here'], {})).toEqual(['no-such-command-here'])
  })
})

it.each<[NodeJS.Platform, string]>([
  ['linux', 'ss -ltnp sport = :8080'],
  ['darwin', 'lsof -nP -sTCP:LISTEN -iTCP:8080'],
  ['win32', 'netstat -ano | findstr :8080'],
])('says on %s how to find who holds a port', (platform, command) => {
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
  expect(explain(taken, 8080, '127.0.0.1', '--port', platform)).toContain(
    `find the holder:   ${command}\n`,
  )
})
