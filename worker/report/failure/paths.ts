/**
 * Writes placeholders into paths. A path that names what is missing or wrong belongs to the cause; the parts of it that differ
 * from node to node and from run to run don't.
 */

/** Failures of a node as a whole, whichever file shows them. In lower case. */
const OF_NODE =
  /no space left|quota|read-only file system|too many open files|input\/output error|stale .*handle|cannot allocate memory|permission denied|operation not permitted/

/** A path of Unix, with the query of an address, or one of Windows with either slash. */
const PATHS =
  /\b[a-z]:(?:\\[^\s]+|\/[\w.+@%~,=‹›/-]+)|(?<![\w›.)\]/])(?:~?\/[\w.+@%~:,=‹›-]+)+\/?(?:\?\S*)?/g

/** What varies in a path, in the order of application. */
const PARTS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // A query, a place in a file, punctuation.
  [/\?.*$|(?::\d+)*[:,.]*$/, ''],
  // A temporary folder.
  [/^\/(?:(?:var\/)?tmp|dev\/shm)\/.*|^[a-z]:.*\bte?mp[\\/].*/, '‹path›'],
  // A name that Puppet writes to first.
  [/\d{8}-\d+-[a-z0-9]{5,}/, '‹n›'],
  // An environment.
  [/(\/environments\/)[^/]+/, '$1‹n›'],
  // The folder of a user.
  [/^(\/home\/|[a-z]:[\\/]users[\\/])[^\\/]+/, '$1‹n›'],
  // Programs, whose folders were merged.
  [/^\/(?:usr\/)?s?bin\//, '/bin/'],
  // A disk.
  [/^\/dev\/(?:[hsv]d[a-z]|xvd|nvme|dm-)\w*$/, '/dev/‹n›'],
  // The version of a package.
  [/[-_]\d[^/\\]*\.(deb|rpm|t?gz|jar|gem|msi)$/, '‹n›$1'],
  // An id.
  [/\b(?=\w*\d)[0-9a-f]{8,}\b/g, '‹n›'],
  // A version, a date, a number of more than one digit.
  [/\d[\d._:-]*\d/g, '‹n›'],
]

/** The text, in lower case, with placeholders in its paths. */
export const pathsReplaced = (text: string): string =>
  text.replace(PATHS, (path) =>
    OF_NODE.test(text)
      ? '‹path›'
      : PARTS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), path),
  )
