/** The packages that are released from this repository. */

import { PACKAGE } from '../../worker/local/commands.mjs'

export interface ReleasedPackage {
  /** Of its `package.json` and `CHANGELOG.md`, from the project's root. */
  readonly folder: string
  /** Whether programs import it, so that its types are checked as well. */
  readonly isLibrary: boolean
  /** Dependencies that only the checkout needs. */
  readonly notPacked: readonly string[]
}

/** Name → package. */
export const RELEASED: Readonly<Record<string, ReleasedPackage>> = {
  // esbuild builds the Worker in a checkout; the package holds what it built.
  [PACKAGE]: { folder: '.', isLibrary: false, notPacked: ['esbuild'] },
  'local-catcher': { folder: 'local-catcher', isLibrary: true, notPacked: [] },
}

/** A package and the version that is to be released. */
export interface Release {
  readonly name: string
  readonly version: string
}

export const tagOf = ({ name, version }: Release): string =>
  name === PACKAGE ? `v${version}` : `${name}-v${version}`

/** The file that `npm pack` writes. */
export const packedFile = ({ name, version }: Release): string => `${name}-${version}.tgz`

/** `package.json`, as far as a release depends on it. */
export interface Manifest {
  readonly version: string
  readonly license: string
  readonly repository?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
}
