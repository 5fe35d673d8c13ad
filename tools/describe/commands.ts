/** docs/reference/commands.md: what each command prints for --help, and how it ends. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { COMMANDS, PACKAGE } from '../../worker/local/commands.mjs'
import { EXIT_CODES, type Command } from './exit-codes.ts'

const HEAD = `# Commands

\`${PACKAGE} COMMAND\` is the installed package. In a checkout, \`npm run COMMAND --\` does the same, and
\`npm start --\` is \`${PACKAGE} start\`. Each command prints its options for \`--help\`. Settings come from the
environment ([settings](settings.md)).

## Trust your own authority

Each command trusts public authorities, and the one whose file \`NODE_EXTRA_CA_CERTS\` names in its environment. For Puppet's CA that is
\`NODE_EXTRA_CA_CERTS=/etc/puppetlabs/puppet/ssl/certs/ca.pem\`. \`start\` needs it for receivers of hooks, mail servers and
OpenID Connect issuers, the other commands for the service or the PuppetDB that they connect to. Several authorities go into one file.`

/** @param root the folder of the project */
export async function commandsText(root: string): Promise<string> {
  const parts: string[] = [HEAD]
  for (const [name, { about }] of Object.entries(COMMANDS)) {
    const help = await helpOf(root, name)
    const codes = EXIT_CODES[name as Command].map(([code, when]) => `| ${code} | ${when} |`)
    parts.push(
      `## ${name}`,
      `${about[0]!.toUpperCase()}${about.slice(1)}.`,
      `\`\`\`text\n${help.trim()}\n\`\`\``,
      ['| exit code | when |', '| --: | --- |', ...codes].join('\n'),
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
