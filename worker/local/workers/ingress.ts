/** The entrypoint for every request from outside: passes it to the service, in the object that holds the database. */

import { errorResponse, failureMessage } from '../../http/respond.ts'
import { log } from '../../lib/log.ts'
import { translatedError } from '../../store/failures.ts'
import { OBJECT } from './database-binding.ts'
import type { HostEnv } from './env.ts'
import { causeOfEnd } from './health.ts'

let id: DurableObjectId | undefined

export const ingress = {
  async fetch(request: Request, { OBJECTS }: HostEnv): Promise<Response> {
    id ??= OBJECTS.idFromName(OBJECT)
    try {
      return await OBJECTS.get(id).fetch(request)
    } catch (error) {
      // The runtime ends the object, with all that it was asked, if a transaction can't be committed.
      const failure = translatedError(causeOfEnd(error))
      const { pathname, searchParams } = new URL(request.url)
      const certname = searchParams.get('certname')
      log('warn', {
        message: 'request refused',
        path: pathname,
        certname,
        reason: failureMessage(failure),
      })
      return errorResponse(failure)
    }
  },
}
