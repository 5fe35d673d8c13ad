/**
 * Writes placeholders for what differs between messages of one cause: hosts, paths, numbers, quotes, wordings of older
 * versions. Only the key of a cause has them; its label is the line as it was reported.
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

/**
 * The text, in lower case, with placeholders in its paths. A path that names what is missing or wrong belongs to the cause; the
 * parts of it that differ from node to node and from run to run don't.
 */
const pathsReplaced = (text: string): string =>
  text.replace(PATHS, (path) =>
    OF_NODE.test(text)
      ? '‹path›'
      : PARTS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), path),
  )

type Replacement = readonly [pattern: RegExp, instead: string]

/** Wordings of several versions, as one. In lower case, without quotes. */
const WORDINGS: readonly Replacement[] = [
  // A word that every line of yum and rpm may begin with.
  [/^error: (?:problem: )?/, ''],
  // Apt before 0.8.
  [/^e: couldn't find package /, 'e: unable to locate package '],
  // A lock of dpkg.
  [/^e: could not get lock .*/, 'e: dpkg is locked'],
  // A lock of dpkg, second line.
  [
    /^e: unable to (?:lock the administration directory|acquire the dpkg frontend lock).*/,
    'e: dpkg is locked',
  ],
  // Yum and dnf.
  [
    /^(?:unable to find a match:|no match for argument:|no package) (\S+?)(?:-\d[\w.+~:^]*(?:-\d[\w.+~^]*)?)?(?: available)?\.?$/,
    'no package $1',
  ],
  // Zypper.
  [/^(?:no provider of (\S+) found|package (\S+) not found)\.?$/, 'no package $1$2'],
  // Npm before 10.
  [/^npm err! /, 'npm error '],
  // A resource type before Puppet 4.
  [/^invalid resource type (\S+)$/, 'unknown resource type: $1'],
  // A lock of yum, in one of its lines.
  [
    /^(?:existing lock \S+: another copy is running|another app is currently holding the yum lock).*/,
    'yum is locked',
  ],
  // A plural.
  [/\b(\d+ target)s\b/g, '$1'],
  // The digests of a download.
  [/ \(expected: \S* actual: [^()]*\)/g, ''],
  // What one version of a program adds: the versions that pip knows, a delay, the words of a status, an object of Ruby.
  [
    / \(from versions: [^)]*\)| after \d+ ms(?=:)|(?<=error: \d{3}) .*$|; (?:unknown error|name or service not known)$| with #<[^>]*>$/g,
    '',
  ],
  // The folder of a program.
  [/^(?:\/[\w.+-]+)*\/s?bin\/(?=[\w.+-]+: )/, ''],
  // The line of a script.
  [/: line \d+(?=: )/g, ''],
  // OpenSSL before 3.
  [/\bself signed\b/g, 'self-signed'],
  // OpenSSL state.
  [/\bssl_connect (?:syscall )?returned=\d+ errno=\d+ (?:peeraddr=\S+ )?state=[^:]*: /g, ''],
  // The subject of a certificate.
  [/ for \/?cn=[^\]]*/g, ''],
  // A certificate error in brackets.
  [/certificate verify failed:? [[(]([^\])]*)[\])]/g, 'certificate verify failed $1'],
  // Ruby before 3.4.
  [/\bnil:nilclass\b/g, 'nil'],
  // The call of Ruby since 2.
  [/ @ [a-z_]\w+(?= |$)/g, ''],
  // Where Puppet 3 saw a declaration.
  [/ in file \S+(?: at line \d+)?(?=; cannot redeclare)/g, ' at'],
  // The environment of a file source.
  [/\bfrom environment \S+ source/g, 'from source'],
  // A class from the top scope.
  [/(^|\s)::(?=[a-z])/g, '$1'],
  // The node of a class.
  [/^(could not find (?:declared )?class \S+) for \S+.*/, '$1'],
  // Puppet 3.
  [/^could not find declared class /, 'could not find class '],
  // The file of a key.
  [/ when parsing \S+/g, ''],
  // A pid in an apt lock.
  [/\. it is held by process .*/g, ''],
  // A user who is logged in.
  [/\buser \S+ (?=is currently (?:used|logged in))/g, 'user '],
  // The port of a refused connection.
  [/ for "?\S+"? port \d+/g, ''],
]

/** What varies from node to node and from run to run, in the order of application; paths are between these. */
const VARYING_BEFORE_PATHS: readonly Replacement[] = [
  // A digest.
  [/\{(?:md5|sha\d+(?:lite)?|mtime|ctime)\}[\w:-]+|\b[0-9a-f]{32,128}\b/g, '‹digest›'],
  // A UUID.
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '‹id›'],
  // The server of a module file, or the scheme of a local source.
  [/\bpuppet:\/\/[^/\s]*\/(?=\S)|(?<=\(s\) )file:\/+/g, 'puppet/'],
  // A URL.
  [/\b(?!puppet\/)[a-z][a-z0-9+.-]*:\/\/(?:‹\w+›|[^\s,;)›\]])+/g, '‹url›'],
  // The release of an apt repository.
  [/(‹url›) [\w./-]+ (?=(?:in)?release\b)/g, '$1 '],
  // A file of a yum repository.
  [/\brepodata\/‹digest›-[\w.]+/g, 'repodata/‹file›'],
  // The version of an RPM.
  [
    /(?<![\w+.-])([a-z][\w+.-]{0,99}?)-(?:\d+:)?\d[\w.+~^]{0,99}-\d[\w.+~^]{0,99}\.(?:x86_64|noarch|i[3-6]86|aarch64|ppc64le|s390x|src)(?:\.rpm)?(?!\w)/g,
    '$1',
  ],
  // A network interface.
  [/(?<![\w./-])(?:eth|ens|eno|enp|wlan|bond|team|veth|vlan|tun|tap)\d[\w.:@]*/g, '‹interface›'],
]
const VARYING: readonly Replacement[] = [
  // A time.
  [/\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:z|[+-]\d\d:?\d\d))?/g, '‹time›'],
  // An address.
  [/(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\[[0-9a-f]*:[0-9a-f:]+\](?::\d+)?/g, '‹host›'],
  // An address of IPv6.
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f:]*[0-9a-f]\b/g, '‹host›'],
  // A host.
  [
    /(?<![\w.-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.){2,}(?!service|socket|timer|target|mount|conf|d\b|pp|rb|py|epp|erb|ya?ml|json|deb|rpm|gz)[a-z]{2,}(?::\d+)?(?![\w-])/g,
    '‹host›',
  ],
  // A host with its port.
  [/(?<![\w.-])[a-z][\w.-]*:\d{2,5}\b/g, '‹host›'],
  // A temporary name.
  [/\b[\w.-]*\d{8}-\d+-[a-z0-9]{5,}[\w.-]*/g, '‹name›'],
  // A number that is no status.
  [
    /(?<![\p{L}\d_›.-]|(?:status|code|returned|errno|error|http|exit|signal)[ =]+)[-+]?(?:0x[0-9a-f]+|\d[\w.+~:,-]*)/gu,
    '‹n›',
  ],
  // Progress.
  [/\.{2,}|…/g, ''],
  // Blanks.
  [/\s+/g, ' '],
  // Punctuation at the end.
  [/[\s.!:,;]+$/, ''],
]

/** A value that hiera-eyaml encrypted, which looks like the reference of a resource. */
const ENCRYPTED = /\bENC\[[A-Z0-9]+,[^\]]*\]/g
/** References of resources, and commands that are missing: their titles are the subject of the failure. */
const VERBATIM = /([A-Z][a-z]\w*(?:::[A-Z]\w*)*\[[^\][\n]*\]|\bCould not find command .*)/
const QUOTES = /["“”‘’`]|(?<![\p{L}\d])'|'(?![\p{L}\d])/gu

/**
 * The line with placeholders, equal for all lines of one cause.
 *
 * @param line without the node's own name
 */
export const withPlaceholders = (line: string): string =>
  line
    .replace(ENCRYPTED, '‹value›')
    .replace(QUOTES, '')
    .split(VERBATIM)
    .map((piece, index) => (index % 2 === 1 ? piece : replaced(piece)))
    .join('')
    .trim()

const replaced = (piece: string): string => {
  const plain = applied([...WORDINGS, ...VARYING_BEFORE_PATHS], piece.toLowerCase())
  return applied(VARYING, pathsReplaced(plain))
}

const applied = (replacements: readonly Replacement[], piece: string): string =>
  replacements.reduce((text, [pattern, instead]) => text.replace(pattern, instead), piece)

/** What labels have for the name of the node. */
export const OWN_NODE = '‹node›'

/**
 * The line without the node's own name, whole or short, which differs from node to node. A name of one word, such as `mail`,
 * can mean anything.
 */
export function withoutNode(line: string, certname: string): string {
  const names = [certname, certname.split('.')[0]!].filter(
    (name) => name.length > 2 && /[\d.-]/.test(name),
  )
  if (names.length === 0) return line
  const escaped = names.map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|')
  return line.replace(new RegExp(`(?<![\\w.-])(?:${escaped})(?![\\w-])`, 'gi'), OWN_NODE)
}
