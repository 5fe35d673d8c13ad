/** The corridor of writing: request → command → report → one batch. The response is 200 only after the commit. */

import { readCommand } from '../../report/command.ts'
import { requireFewValues, requireJson, withCommandBytes } from '../body.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'
import { admitFrom } from './admit.ts'
import { carryOut, workOf } from './carry-out.ts'
import { refusingDepth } from './nesting.ts'
import { noteRefusedRequest, writePendingRefusals } from './refusal-log.ts'

/** Carries out one command. Failures are logged and thrown, and then nothing has been stored. */
export async function submitCommand(call: Call): Promise<Response> {
  try {
    return await refusingDepth(() => submitOne(call))
  } catch (error) {
    await noteRefusedRequest(call, error)
    throw error
  }
}

async function submitOne(call: Call): Promise<Response> {
  const received = Date.now()
  const { settings, principal, databases, submissions } = call.var
  const request = call.req.raw
  requireJson(request)
  const sender = { principal, settings, admit: admitFrom(principal, submissions) }
  const read = async (bytes: Uint8Array) => {
    requireFewValues(bytes)
    const text = new TextDecoder().decode(bytes)
    const command = readCommand(new URL(request.url).searchParams, text)
    const { waits, warnings } = command
    return { work: await workOf(command, received, sender), waits, warnings }
  }
  const store = async ({ work, waits, warnings }: Awaited<ReturnType<typeof read>>) => {
    const database = databases.primary()
    const outcome = await carryOut(work, received, database)
    await writePendingRefusals(database)
    const all = [...warnings, ...outcome.warnings]
    const answer = {
      uuid: crypto.randomUUID(),
      ...(waits ? { processed: true, timed_out: false } : {}),
      ...(outcome.duplicate ? { duplicate: true } : {}),
      ...(all.length > 0 ? { warnings: all } : {}),
    }
    return objectResponse(answer, 'ok', costHeaders(call, database))
  }
  return withCommandBytes(request, settings.MAX_COMMAND_BYTES, { read, store })
}
