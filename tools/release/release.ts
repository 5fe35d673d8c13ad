/** `npm run release -- NAME@VERSION…`: checks and packs what its owner then publishes. It publishes nothing and sets no tag. */

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { wordsOrExit } from '../../worker/local/command-line.ts'
import { writeEvidence } from './evidence.ts'
import { releaseFindings } from './findings.ts'
import { packedFile, RELEASED, tagOf, type Manifest, type Release } from './packages.ts'

const HELP = `npm run release -- NAME@VERSION…

  NAME is ${Object.keys(RELEASED).join(' or ')}.

Checks versions, changelogs and tags, packs the files into dist/release, checks them, and writes their contents (SBOM) and
checksums. Then it prints the commands that publish them, and runs none of them.

  --help   this text

Ends with 0 where all is ready, 1 where something keeps a package from being released.`

const FOLDER = 'dist/release'

const { values, positionals } = wordsOrExit(
  { allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } },
  HELP,
)
if (values.help) console.log(HELP)
else process.exitCode = await release(positionals)

/** @returns the exit code */
async function release(words: readonly string[]): Promise<number> {
  const root = process.cwd()
  const releases = words.map(readRelease)
  if (releases.length === 0 || releases.includes(null)) {
    console.error(HELP)
    return 2
  }
  const named = releases as readonly Release[]
  const findings = releaseFindings(root, named, new Date().toISOString().slice(0, 10))
  if (findings.length > 0) {
    console.error(['Not ready for a release:', ...findings].join('\n- '))
    return 1
  }
  rmSync(join(root, FOLDER), { recursive: true, force: true })
  // What is packed must be what the commit makes.
  run('npm', 'run', '--silent', 'build', '--workspace', 'local-catcher')
  run(process.execPath, 'worker/local/launch.mjs', 'tools/package.ts', FOLDER)
  try {
    const written = await writeEvidence(root, join(root, FOLDER), named)
    console.log(written.map((name) => join(FOLDER, name)).join('\n'))
  } catch (error) {
    console.error((error as Error).message)
    return 1
  }
  console.log(`\nReady. These commands publish it:\n\n${named.flatMap(commandsOf).join('\n')}`)
  return 0
}

/** @returns null for a word that names no package or no version */
function readRelease(word: string): Release | null {
  const [, name = '', version = ''] = /^(.+)@(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(word) ?? []
  return Object.hasOwn(RELEASED, name) ? { name, version } : null
}

function run(program: string, ...words: readonly string[]): void {
  execFileSync(program, words, { stdio: 'inherit' })
}

/** npm signs where a package was built (provenance) only for a public CI that it trusts, and a package that names its repository. */
function commandsOf(release: Release): readonly string[] {
  const tag = tagOf(release)
  const file = join(FOLDER, packedFile(release))
  const description = join(RELEASED[release.name]!.folder, 'package.json')
  const { repository } = JSON.parse(readFileSync(description, 'utf8')) as Manifest
  return [
    `git tag --annotate ${tag} --message '${release.name} ${release.version}'`,
    `git push origin ${tag}`,
    repository === undefined
      ? `npm publish ./${file} --provenance=false   # ${description} names no repository, which provenance needs`
      : `npm publish ./${file}   # in CI with an id token; elsewhere with --provenance=false`,
  ]
}
