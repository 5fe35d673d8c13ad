/** Checks packed files, and writes what a release has beside them: lists of contents (SBOM) and checksums. */

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { packedFile, RELEASED, type Manifest, type Release } from './packages.ts'

const execute = promisify(execFile)

/**
 * Checks the packed file of each release with publint, the types of libraries with attw, and writes `NAME-VERSION.sbom.json`
 * (CycloneDX) for each and `SHA256SUMS` for all.
 *
 * @param folder of the packed files
 * @returns the names of the files written
 * @throws Error with what a check printed
 */
export async function writeEvidence(
  root: string,
  folder: string,
  releases: readonly Release[],
): Promise<readonly string[]> {
  const written = await allEnded(
    releases.map(async (release) => {
      const file = join(folder, packedFile(release))
      const [name] = await allEnded([
        writeContents(root, folder, release),
        check(root, 'publint', 'run', file, '--strict'),
        // The packages are for import, not for require.
        ...(RELEASED[release.name]!.isLibrary
          ? [check(root, 'attw', file, '--profile', 'esm-only')]
          : []),
      ])
      return name
    }),
  )
  const summed = [...releases.map(packedFile), ...written].sort()
  const sums = await Promise.all(summed.map((name) => checksumLine(join(folder, name))))
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
  return [...written, 'SHA256SUMS']
}

/** As Promise.all, once all have ended: what one has begun in a folder for temporary files is gone then. */
async function allEnded<const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ [Key in keyof Work]: Awaited<Work[Key]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

async function check(root: string, program: string, ...words: readonly string[]): Promise<void> {
  try {
    await execute(join(root, 'node_modules/.bin', program), words)
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(
      `${program} refuses ${words.find((word) => word.endsWith('.tgz'))}:\n${stdout}${stderr}`,
    )
  }
}

/** As `sha256sum -c` reads it. */
async function checksumLine(file: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
  return `${digest}  ${basename(file)}\n`
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly link?: true }>>
}

/**
 * Writes the packages that a release consists of and installs. `npm sbom --omit=dev` in the checkout leaves out every
 * dependency that a development dependency has too, so npm lists a copy without those, from the same lock.
 *
 * @returns the name of the file
 */
async function writeContents(
  root: string,
  folder: string,
  { name, version }: Release,
): Promise<string> {
  const { folder: own, notPacked } = RELEASED[name]!
  const { license, dependencies = {} } = await readJson<Manifest>(root, own, 'package.json')
  const packed = Object.fromEntries(
    Object.entries(dependencies).filter(([dependency]) => !notPacked.includes(dependency)),
  )
  const lock = await readJson<Lock>(root, 'package-lock.json')
  const place = await mkdtemp(join(tmpdir(), 'release-'))
  try {
    // npm names the list by the folder.
    const copy = join(place, name)
    await mkdir(copy)
    const description = { name, version, license, dependencies: packed }
    // Without the workspaces and the links to them.
    const packages = Object.entries(lock.packages).filter(
      ([path, { link }]) => path.startsWith('node_modules/') && !link,
    )
    await writeJson(description, copy, 'package.json')
    await writeJson(
      { ...lock, packages: { '': description, ...Object.fromEntries(packages) } },
      copy,
      'package-lock.json',
    )
    const npm = (...words: readonly string[]) =>
      execute('npm', [...words, '--package-lock-only', '--offline'], {
        cwd: copy,
        maxBuffer: MOST_BYTES,
      })
    await npm('install', '--ignore-scripts', '--no-audit', '--no-fund')
    const type = RELEASED[name]!.isLibrary ? 'library' : 'application'
    const { stdout } = await npm('sbom', '--sbom-format=cyclonedx', `--sbom-type=${type}`)
    const file = `${name}-${version}.sbom.json`
    await writeFile(join(folder, file), stdout)
    return file
  } finally {
    await rm(place, { recursive: true })
  }
}
const MOST_BYTES = 16 * 1024 * 1024

const readJson = async <Value>(...path: readonly string[]): Promise<Value> =>
  JSON.parse(await readFile(join(...path), 'utf8')) as Value

const writeJson = (value: unknown, ...path: readonly string[]): Promise<void> =>
  writeFile(join(...path), JSON.stringify(value))
