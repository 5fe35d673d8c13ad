/** Finds why a checkout is not ready for a release. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE } from '../../worker/local/commands.mjs'
import { RELEASED, tagOf, type Manifest, type Release } from './packages.ts'

/**
 * What keeps packages from being released, each with its remedy; none where they are ready.
 *
 * @param root of a git checkout
 * @param today as `2026-12-31`
 */
export function releaseFindings(
  root: string,
  releases: readonly Release[],
  today: string,
): readonly string[] {
  const changed = git(root, 'status', '--porcelain').split('\n').filter(Boolean)
  return [
    ...(changed.length > 0
      ? [`Files differ from the last commit: ${namesOf(changed)}. Commit or remove them.`]
      : []),
    ...releases.flatMap((release) => [
      ...versionFindings(root, release),
      ...changelogFindings(root, release, today),
      ...tagFindings(root, release),
    ]),
  ]
}

const MOST_NAMES = 5

/** @param lines of `git status --porcelain` */
function namesOf(lines: readonly string[]): string {
  const names = lines.slice(0, MOST_NAMES).map((line) => line.slice(3))
  const more = lines.length - names.length
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function versionFindings(root: string, { name, version }: Release): string[] {
  const { folder } = RELEASED[name]!
  const { version: described } = readJson<Manifest>(root, folder, 'package.json')
  const lock = readJson<{
    readonly packages: Readonly<Record<string, { readonly version?: string }>>
  }>(root, 'package-lock.json')
  const locked = lock.packages[folder === '.' ? '' : folder]?.version
  if (described === version && locked === version) return []
  const file = join(folder, 'package.json')
  const workspace = name === PACKAGE ? '' : ` --workspace ${name}`
  return [
    `${file} has the version ${described}, and package-lock.json ${locked ?? 'none'}. To set it: npm version ${version} --no-git-tag-version --allow-same-version${workspace}`,
  ]
}

/** The first section must be that of the version, with a day that has come, and say something. */
function changelogFindings(root: string, { name, version }: Release, today: string): string[] {
  const file = join(RELEASED[name]!.folder, 'CHANGELOG.md')
  const [, heading = '', body = ''] =
    /^## (.*)\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(readFileSync(join(root, file), 'utf8')) ?? []
  const [, day] = /^(\d{4}-\d\d-\d\d)$/.exec(heading.slice(`${version}, `.length)) ?? []
  if (!heading.startsWith(`${version}, `) || day === undefined || Number.isNaN(Date.parse(day)))
    return [
      `${file} begins with the section "${heading}". Its first section must be "${version}, ${today}".`,
    ]
  if (day > today) return [`${file} dates ${version} to ${day}, which is after today, ${today}.`]
  return /^- /m.test(body) ? [] : [`${file} lists no change under ${version}.`]
}

function tagFindings(root: string, release: Release): string[] {
  const tag = tagOf(release)
  return git(root, 'tag', '--list', tag) === ''
    ? []
    : [`The tag ${tag} exists: ${release.version} was released, or begun. Take a new version.`]
}

const git = (root: string, ...words: readonly string[]): string =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trimEnd()

const readJson = <Value>(...path: readonly string[]): Value =>
  JSON.parse(readFileSync(join(...path), 'utf8')) as Value
