/** Answers a path that no endpoint has. */

import { textResponse } from './respond.ts'

export const unknownPath = (): Response => textResponse('Not Found', 'not found')
