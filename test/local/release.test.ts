/** What keeps packages from being released, each with its remedy. */

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { releaseFindings } from '../../tools/release/findings.ts'
import { packedFile, RELEASED } from '../../tools/release/packages.ts'

const TODAY = '2026-11-26'
const RELEASES = [
  { name: 'report-query-service', version: '1.2.3' },
  { name: 'local-catcher', version: '4.5.6' },
]

let folder = ''
/** A checkout that is ready for the release of both packages. */
const ready = (): string => join(folder, 'ready')
const git = (checkout: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
    cwd: checkout,
  })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'release-'))
  mkdirSync(join(ready(), 'local-catcher'), { recursive: true })
  const write = (file: string, text: string): void => writeFileSync(join(ready(), file), text)
  write('package.json', '{ "version": "1.2.3" }')
  write('local-catcher/package.json', '{ "version": "4.5.6" }')
  write(
    'package-lock.json',
    '{ "packages": { "": { "version": "1.2.3" }, "local-catcher": { "version": "4.5.6" } } }',
  )
  write('CHANGELOG.md', '# Changelog\n\n## 1.2.3, 2026-11-26\n\n- One.\n\n## 1.2.2, 2026-11-01\n')
  write('local-catcher/CHANGELOG.md', '# Changes\n\n## 4.5.6, 2026-11-20\n\n- One.\n')
  git(ready(), 'init', '--quiet')
  git(ready(), 'add', '.')
  git(ready(), 'commit', '--quiet', '-m', 'All')
})
afterAll(() => rm(folder, { recursive: true }))

type Change = (checkout: string) => void

const noted =
  (...names: readonly string[]): Change =>
  (checkout) => {
    for (const name of names) writeFileSync(join(checkout, name), '')
  }
const written =
  (file: string, text: string): Change =>
  (checkout) => {
    writeFileSync(join(checkout, file), text)
    git(checkout, 'commit', '-qam', 'Change')
  }
const tagged =
  (tag: string): Change =>
  (checkout) => {
    git(checkout, 'tag', tag)
  }

it.each<[what: string, change: Change, findings: readonly string[]]>([
  ['nothing', () => undefined, []],
  [
    'a file that is not committed',
    noted('note'),
    ['Files differ from the last commit: note. Commit or remove them.'],
  ],
  [
    'another version',
    written('local-catcher/package.json', '{ "version": "4.5.5" }'),
    [
      'local-catcher/package.json has the version 4.5.5, and package-lock.json 4.5.6. To set it: npm version 4.5.6 --no-git-tag-version --allow-same-version --workspace local-catcher',
    ],
  ],
  [
    'an older lock',
    written('package-lock.json', '{ "packages": { "local-catcher": { "version": "4.5.6" } } }'),
    [expect.stringContaining('package.json has the version 1.2.3, and package-lock.json none.')],
  ],
  [
    'changes of no version',
    written('CHANGELOG.md', '## Unreleased\n\n- One.\n\n## 1.2.3, 2026-11-26\n\n- Two.\n'),
    [
      'CHANGELOG.md begins with the section "Unreleased". Its first section must be "1.2.3, 2026-11-26".',
    ],
  ],
  [
    'no day',
    written('CHANGELOG.md', '## 1.2.3\n\n- One.\n'),
    [expect.stringContaining('begins with the section "1.2.3".')],
  ],
  [
    'a day that does not exist',
    written('CHANGELOG.md', '## 1.2.3, 2026-13-26\n\n- One.\n'),
    [expect.stringContaining('begins with the section "1.2.3, 2026-13-26".')],
  ],
  [
    'a day to come',
    written('CHANGELOG.md', '## 1.2.3, 2026-11-27\n\n- One.\n'),
    ['CHANGELOG.md dates 1.2.3 to 2026-11-27, which is after today, 2026-11-26.'],
  ],
  [
    'no change that users notice',
    written('CHANGELOG.md', '## 1.2.3, 2026-11-26\n\n## 1.2.2, 2026-11-01\n\n- One.\n'),
    ['CHANGELOG.md lists no change under 1.2.3.'],
  ],
  [
    'six files that are not committed',
    noted('1', '2', '3', '4', '5', '6'),
    ['Files differ from the last commit: 1, 2, 3, 4, 5 and 1 more. Commit or remove them.'],
  ],
  [
    'tags of earlier releases of the catcher',
    tagged('local-catcher-v4.5.6'),
    ['The tag local-catcher-v4.5.6 exists: 4.5.6 was released, or begun. Take a new version.'],
  ],
  [
    'tags of earlier releases of the service',
    tagged('v1.2.3'),
    ['The tag v1.2.3 exists: 1.2.3 was released, or begun. Take a new version.'],
  ],
])('a release is held up by %s', (_, change, findings) => {
  const checkout = join(folder, 'changed')
  cpSync(ready(), checkout, { recursive: true })
  try {
    change(checkout)
    expect(releaseFindings(checkout, RELEASES, TODAY)).toEqual(findings)
  } finally {
    rmSync(checkout, { recursive: true })
  }
})

it('each package is packed into a file of its name, types checked where programs import it', () => {
  expect(RELEASES.map(packedFile)).toEqual([
    'report-query-service-1.2.3.tgz',
    'local-catcher-4.5.6.tgz',
  ])
  expect(Object.entries(RELEASED).map(([name, { isLibrary }]) => [name, isLibrary])).toEqual([
    ['report-query-service', false],
    ['local-catcher', true],
  ])
})
