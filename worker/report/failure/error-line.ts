/**
 * Finds the line of a failure's message that says why. Around it are what Puppet was doing, the command, its
 * progress and its warnings.
 */

/** What Puppet, a compiler or a provider says before the reason; taken off as long as something follows. */
const WRAPPERS: readonly RegExp[] = [
  /^Failed to call refresh: /,
  /^Failed to generate additional resources using '\w+': /,
  /^Failed to apply catalog: /,
  /^Could not run Puppet configuration client: /,
  /^Could not apply complete catalog: /,
  /^Could not (?:retrieve catalog from remote server|compile catalog for \S+): /,
  /^Error \d+ on (?:SERVER|server): /,
  /^Server Error: /,
  /^Internal Server Error: (?:\S+Exception: )?/,
  /^Evaluation Error: /,
  /^Error while evaluating (?:a|an|the) [^,\n]{1,40}, /,
  /^Puppet::\w+(?:::\w+)*(?: failed with error \w+)?: /,
  /^Could not (?:set|unset) [^\n]{1,120}? on [^:\n]{1,80}: /,
  /^Could not (?:evaluate|update|create|delete|install|uninstall|remove|query|flush|prefetch)(?: [\w:]+(?: (?:provider )?'?[\w:]+'?)?)? ?: /,
  /^Could not (?:start|stop|restart|enable|disable|refresh|unmask|mask) (?:[^\n]{1,200}?\]|[\w@.\\-]{1,200}): /,
  /^Could not get latest version: /,
  /^Could not retrieve facts for [^\s:]+: /,
  // A server that does not answer, whichever file was asked for. Puppet 3 says why before and after.
  /^(?:[^\n]{1,300}? )?Could not retrieve file metadata for \S+: (?=Failed to open TCP|getaddrinfo|SSL_connect|certificate verify|Server hostname|Connection |Request to |No (?:more )?route|Net::|Operation timed out|execution expired|Error 50\d)/,
  /^REST failure: HTTP status code \d+ detected\.\s+Body of failure is: (?=\{)/,
  /^ERROR: +Could not find a valid gem '[^'\n]*' \([^)\n]*\), here is why:\s+(?=\S)/,
  /^(?:Connection to \S+ failed, trying next route|Failed to connect to https?:\/\/\S+|Request to \S+ failed after [\d.]+ seconds): /,
  /^Execution of '[^]*?' returned -?\d+: ?/,
  // What OpenSSL says of its state before the reason.
  /^SSL_connect returned=\d+ errno=\d+(?: peeraddr=\S+)? state=[^:\n]{1,60}: (?=\S)/,
  // DSC on Windows: which function of the resource failed, and why PowerShell stopped there.
  /^PowerShell DSC resource \S+ +failed to execute \w+-TargetResource functionality with error message: /,
  /^The PowerShell DSC resource \S+ with SourceInfo '[^']*' (?=threw )/,
  /^The running command stopped because the preference variable "ErrorActionPreference" or common parameter is set to Stop: /,
  /^Importing module \S+ failed with error - /,
  // A prompt without an answer.
  /^Enter [\w ]{0,40}password: +(?=\S)/,
]

/** Lines that accompany failures and successes alike. */
const SKIPPED: readonly RegExp[] = [
  // Progress of apt, dpkg and debconf.
  /^(?:Reading (?:package lists|state information)|Building dependency tree|\(Reading database|Calculating upgrade|Correcting dependencies)/,
  /^(?:Get|Hit|Ign):\d+ /,
  /^(?:Fetched|Need to get|After this operation|Selecting previously|Preparing to unpack|Unpacking|Setting up|Processing triggers|Extracting templates|Preconfiguring packages) ?/,
  /^\d+ (?:upgraded|newly installed|not fully installed)/,
  /^(?:Hashes of (?:expected|received) file|- (?:SHA\d+|MD5Sum|Filesize):|Last modification reported|Release file created at)/,
  /^The following (?:NEW|additional|extra|information|packages (?:will be|were)|held)/,
  /^(?:Some packages could not be installed|requested an impossible situation|distribution that some|or been moved out of)/,
  /^(?:debconf|dpkg-preconfigure|apt-listchanges): /,
  /^[WN]: /,
  // Progress of yum, dnf, zypper, gem, pip, git and download tools.
  /^(?:Last metadata expiration check|Loaded plugins|Loading mirror speeds|Resolving Dependencies|Dependencies Resolved|Downloading|Running transaction|Retrieving repository|Loading repository data|Refreshing service)/,
  /NOKEY$/,
  /^(?:Cloning into|Switched to|HEAD is now at|remote: (?:Counting|Compressing|Enumerating|Total))/,
  /^(?:Executing: |gpg: (?:requesting key|Total number processed))/,
  /^(?:Fetching|Building native extensions|Collecting|Looking in indexes|Requirement already)/,
  /^npm (?:ERR!|error) (?:code|errno|syscall|path|cwd|A complete log|$)/,
  /^(?:Please make sure you have the correct access rights|and the repository exists)/,
  // Warnings.
  /^(?:\S+: )?(?:warning|WARNING|Warning|DEPRECATION|notice)\b/,
  /^\(Use `?--/,
  /^(?:[\w.]+: )?Use (?:the )?['"`]?--?\w/,
  // What PowerShell says after its error.
  /^\+ (?:CategoryInfo|FullyQualifiedErrorId|~)|^\+ .*<<<<|^At \S+:\d+ char:\d+$/,
  // Traces and the place of a template's error.
  /^(?:from )?\S+:\d+:in ['`‘]/,
  /^(?:Traceback \(most recent call last\)|File "[^"]*", line \d+)/,
  /^(?:Filepath|Line|Position): |^Last \d+ unconsumed characters:$/,
  // The frame of a journal, and what systemd says of every unit.
  /^-- (?:No entries|Logs begin|Journal begins|Boot|Subject|Defined-By|Support|A stop job|The (?:job|start)|Unit|Automatic)/,
  /^(?:Starting|Started|Stopping|Stopped|Reloading|Reloaded|Scheduled restart job) /,
  /^\S+: (?:Scheduled restart job|Consumed|Succeeded|Deactivated|Unit entered failed state)/,
  /^(?:Error Summary$|See |Hint: |Try the '--graph' option|You might want to run|Consider )/,
]

/** Errors about another error, which says more. */
const GENERIC: readonly RegExp[] = [
  /^E: (?:Sub-process|Unable to fetch some archives|Some index files failed|Unable to correct problems|Broken packages|Unmet dependencies)/,
  /^(?:Errors were encountered while processing|Error: Nothing to do|fatal: (?:Could not read from remote repository|The remote end hung up|early EOF)|E: Problem executing scripts)/,
  /^Reload failed for /,
  /^\S+: (?:[Mm]ain process exited|[Cc]ontrol process exited|Failed with result|Start request repeated too quickly|Start operation timed out)/,
  /^(?:Failed to start|Failed to listen on|Failed to mount) (?!\S+\.(?:service|socket|timer|mount|target):)/,
  /^Chocolatey (?:un)?(?:installed|upgraded) \d+\/\d+ packages?\./,
  /^The (?:un)?(?:install|upgrade) of \S+ was NOT successful/,
  /^(?:Failed to parse unit|Job for \S+ (?:failed|canceled))/,
]

/** Lines that say more than an error beside them: the dependency that is missing. */
const TELLING: readonly RegExp[] = [
  /^\S+ : (?:Pre)?Depends: .* but /,
  /^- (?:nothing provides|package \S+ (?:requires|conflicts|obsoletes))/,
  /^Problem: nothing provides/,
]

const STARTS_AS_ERROR =
  /^(?:E:|(?:Error|ERROR|error|FATAL|Fatal|fatal|FAILED|Failure|panic)\b:?|Failed |Could not |Couldn't |Cannot |Can't |Unable |Invalid |Found \d+ dependency cycle|npm ERR!|dpkg: error|npm error|[a-z][\w-]* error: |terminate called after |(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception): |[A-Z][\w:]*\[[^\]]*\]:$)/
const SPEAKS_OF_ERROR =
  /\b(?:errors?|fail(?:ed|s|ure)?|denied|not found|no such|no package|no match|no provider|(?:no|not)(?: \w+){0,2} available|exiting|refused|timed out|unable|cannot|can't|could not|couldn't|invalid|missing|unknown|conflicts?|bad|illegal|unrecognized|unsupported|exception|fatal|expired|locked|mismatch|not recognized|exited (?:before|unexpectedly|with)|refusing|rejected|forbidden|unauthorized|unreachable|undefined|unexpected|corrupt(?:ed)?|not permitted|no space left|does not exist|already in use|not running|currently holding|another copy is running|unmet)\b|\[(?:emerg|alert|crit|error)\]/i

const JOURNAL_HEAD =
  /^(?:Systemd \w+ for \S+ failed[!:](?:journalctl .*)?|journalctl log for \S+:?)$/
const JOURNAL_LINE = /^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d +\S+ ([^\s:[]+)(?:\[\d+\])?: +/
const ISO_JOURNAL_LINE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* \S+ ([^\s:[]+)(?:\[\d+\])?: +/
const WRAPPED_EXCEPTION = /\nWrapped exception:[^]*$/

/** Longest beginning and longest end of a message that are read, in characters. */
const LONGEST_BEGINNING = 2000
const LONGEST_END = 6000

/** A message in its original wording. */
export interface ErrorLine {
  /** The line that says why; null where the message has none. */
  readonly line: string | null
  /** What failed, without the reason, outermost first: `Could not start Service[nginx]`. */
  readonly heads: readonly string[]
}

/** Reads a message, which may have many lines. */
export function errorLineOf(message: string): ErrorLine {
  const heads: string[] = []
  let text = withoutChange(shortened(message.trim()))
  for (let found = wrapperOf(text); found !== null; found = wrapperOf(text)) {
    heads.push(found.trim().replace(/:$/, ''))
    text = withoutJson(text.slice(found.length).trim())
  }
  return { line: chosenLine(text.split('\n').map(withoutMarkup)), heads }
}

/** The message of an error in JSON, as servers before Puppet 5 answer. */
function withoutJson(text: string): string {
  const found = /^\{(?:[^{}]{0,99}, ?| ?)"message": ?"/.exec(text)
  if (found === null) return text
  const message = text.slice(found[0].length)
  const end = message.search(/(?<!\\)"/)
  return (end < 0 ? message : message.slice(0, end)).replace(/\\(["\\/n])/g, (_, escaped: string) =>
    escaped === 'n' ? '\n' : escaped,
  )
}

/** A line of a page that a proxy answered, without its tags. */
const withoutMarkup = (line: string): string => {
  const text = line.trim()
  return /^<[a-z!?/]/i.test(text) ? text.replace(/<[^<>]*>/g, ' ').trim() : text
}

const wrapperOf = (text: string): string | null => {
  for (const wrapper of WRAPPERS) {
    const found = wrapper.exec(text)
    if (found) return found[0]
  }
  return null
}

/** An error at the end of a long output is as near as one at its beginning. */
const shortened = (message: string): string =>
  message.length <= LONGEST_BEGINNING + LONGEST_END
    ? message
    : `${message.slice(0, LONGEST_BEGINNING)}\n${message.slice(-LONGEST_END)}`

/** Takes off `change from 'a' to 'b' failed: `, whose values can be anything. */
function withoutChange(message: string): string {
  const text = message.replace(WRAPPED_EXCEPTION, '').replace(/ \(corrective\)$/, '')
  if (!text.startsWith('change from ')) return text
  const values = text.indexOf(' to ')
  const end = values < 0 ? -1 : text.indexOf(' failed: ', values)
  return end < 0 ? text : text.slice(end + ' failed: '.length)
}

/** Lower is nearer to the reason. */
const RANKS = { telling: 0, starts: 1, speaks: 2, plain: 3, head: 4, generic: 5 } as const

/** The first line of the best rank; of plain lines the last, which is where programs end. */
function chosenLine(lines: readonly string[]): string | null {
  let best: { rank: number; index: number; text: string } | null = null
  let inJournal = false
  const texts = lines.map(withoutJournal)
  for (const [index, text] of texts.entries()) {
    const rank = rankOf(text)
    if (rank === null || (inJournal && rank === RANKS.plain)) continue
    inJournal ||= rank === RANKS.head
    const better =
      rank === RANKS.plain ? best === null || rank <= best.rank : rank < (best?.rank ?? 9)
    if (better) best = { rank, index, text }
  }
  return best === null ? null : withNext(best.text, texts.slice(best.index + 1))
}

const withoutJournal = (line: string): string =>
  line.replace(JOURNAL_LINE, '').replace(ISO_JOURNAL_LINE, '')

function rankOf(text: string): number | null {
  const is = (patterns: readonly RegExp[]): boolean => patterns.some((one) => one.test(text))
  if (text === '' || is(SKIPPED)) return null
  if (JOURNAL_HEAD.test(text)) return RANKS.head
  if (is(TELLING)) return RANKS.telling
  if (is(GENERIC)) return RANKS.generic
  if (STARTS_AS_ERROR.test(text)) return RANKS.starts
  return SPEAKS_OF_ERROR.test(text) ? RANKS.speaks : RANKS.plain
}

const ANNOUNCES =
  /(?::| error was|^Error: Package: .*\)|^ERROR: +While executing gem .* \((?:Errno|OptionParser)::\w+\))$/

/** A line that ends with a colon announces the next one, and so do yum's `error was`, its package that lacks another, and the class of a gem's error. */
function withNext(text: string, following: readonly string[]): string {
  if (!ANNOUNCES.test(text)) return text
  const next = following.find((line) => rankOf(line) !== null)
  return next === undefined ? text : `${text} ${next}`
}
