/** docs/reference/commands.md: what each command prints for --help, and how it ends. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { COMMANDS, PACKAGE } from '../../worker/local/commands.mjs'

type Command = keyof typeof COMMANDS

/** Command → its exit codes with their meanings. Wrong words end every command with 2. */
export const EXIT_CODES: Readonly<
  Record<Command, readonly (readonly [number | string, string])[]>
> = {
  start: [
    [0, 'stopped by a signal, after the requests under way'],
    [1, 'it did not stop in time, and was ended'],
    [2, 'an option, a setting or a TLS file is wrong'],
    [3, 'the address or port is in use or not allowed'],
    [4, "the data folder can't be written, or another service uses it"],
    [
      5,
      "the runtime can't be started, a migration failed, or the database is damaged or of a later release",
    ],
    [6, 'Node is too old, or the checkout is not built and cannot be'],
    ['128 + n', 'ended by signal n before it was ready, or by a second one'],
  ],
  token: [
    [0, 'the token was printed'],
    [2, 'an option is wrong'],
  ],
  backup: [
    [0, 'the backup is good'],
    [1, "the database or the backup is damaged or can't be written"],
    [2, 'an option is wrong'],
    [4, 'the folder has no database'],
  ],
  restore: [
    [0, 'the backup was restored, or with `--dry-run` could be'],
    [1, "the backup is damaged, or a file can't be read or written"],
    [2, "an option is wrong, or the path isn't a backup, or is one of a later release"],
    [4, 'a service uses the folder'],
  ],
  'check-database': [
    [0, 'everything is consistent'],
    [1, 'there are problems'],
    [2, 'an option is wrong, or the service could not be asked'],
  ],
  import: [
    [0, 'everything was taken'],
    [1, 'reports were refused'],
    [2, 'an option is wrong, or the import ended early'],
  ],
  compare: [
    [0, 'all answers are equal'],
    [1, 'some answers differ'],
    [2, 'an option is wrong, or no report began in the span'],
  ],
  history: [
    [0, 'done'],
    [1, "the query failed, or a file can't be read"],
    [2, 'an option is wrong'],
  ],
}

const HEAD = `# Commands

\`${PACKAGE} COMMAND\` is the installed package. In a checkout, \`npm run COMMAND --\` does the same, and
\`npm start --\` is \`${PACKAGE} start\`. Each command prints its options for \`--help\`. Settings come from the
environment ([settings](settings.md)).

A command that connects to a service or a PuppetDB with a certificate of Puppet's CA needs
\`NODE_EXTRA_CA_CERTS=/etc/puppetlabs/puppet/ssl/certs/ca.pem\` in its environment.`

/** @param root the folder of the project */
export async function commandsText(root: string): Promise<string> {
  const parts: string[] = [HEAD]
  for (const [name, { about }] of Object.entries(COMMANDS)) {
    const help = await helpOf(root, name)
    const codes = EXIT_CODES[name as Command].map(([code, meaning]) => `| ${code} | ${meaning} |`)
    parts.push(
      `## ${name}`,
      `${about[0]!.toUpperCase()}${about.slice(1)}.`,
      `\`\`\`text\n${help.trim()}\n\`\`\``,
      ['| exit code | meaning |', '| --: | --- |', ...codes].join('\n'),
    )
  }
  return parts.join('\n\n')
}

async function helpOf(root: string, name: string): Promise<string> {
  const program = join(root, 'worker/local', `${PACKAGE}.mjs`)
  const { stdout } = await promisify(execFile)(process.execPath, [program, name, '--help'], {
    cwd: root,
  })
  return stdout
}
