#!/usr/bin/env node
import { runCommand } from './command.js'

process.exit(await runCommand(process.argv.slice(2), process.env))
