// Decides what each request gets: the first rule that takes it, else the answer of the options.
import { answerOf, refusal, type Answer } from './answer.js'
import { challengeResponder } from './challenges.js'
import { headerOf } from './content.js'
import { reasonOf } from './errors.js'
import { HOP_HEADER } from './forward.js'
import type { ReadOptions } from './options.js'
import { NOTHING, type CapturedRequest } from './request.js'
import { readAnswer, readRule, ruleTest, type AnswerValues, type Rule } from './rules.js'
import { formatLimit } from './values.js'

const RECEIVED = Buffer.from('{"status":"OK","message":"data received"}\n')

/** Keeps the rules of one catcher. */
export function answerBook(options: ReadOptions) {
  const { status, headers, delay, maxBody, rules, secret } = options
  const body = options.answer ? (options.body ?? RECEIVED) : NOTHING
  const forwarding = options.forward !== undefined
  const told = answerOf(status, headers, body)
  const isDefault = body.equals(RECEIVED) && status === 200 && headers.length === 0
  const sent = { ...told.sent, isDefault }
  const base: Answer = { ...told, sent, delay, forward: forwarding }

  const answerBy = ({ status, headers: more = [], body, delay, fault }: AnswerValues): Answer => {
    const how = { delay: delay ?? base.delay, fault: fault ?? null }
    if (status === undefined && more.length === 0 && !body) {
      return { ...base, ...how, forward: base.forward && !fault }
    }
    // A rule that sets a status would contradict itself with the body that says OK.
    const text = body ?? (status === undefined ? base.body : NOTHING)
    return { ...answerOf(status ?? base.status, [...headers, ...more], text), ...how }
  }
  const entryOf = (values: ReturnType<typeof readRule>) => {
    const responder = values.challenge ? challengeResponder(secret) : values.answer
    // The answer where it is always the same.
    const answer = answerBy(values)
    return { values, responder, answer, ...ruleTest(values) }
  }
  type Entry = ReturnType<typeof entryOf>
  let entries: readonly Entry[] = []

  /** The answer of a rule that takes the request, or null where its function gives none. */
  const answerFor = async (entry: Entry, request: CapturedRequest) => {
    const { values, responder, answer } = entry
    if (!responder) return answer
    const computed = await responder(request)
    return computed === undefined ? null : answerBy({ ...values, ...readAnswer(computed) })
  }
  const decide = async (request: CapturedRequest): Promise<Answer> => {
    for (const entry of entries) {
      try {
        if (!(await entry.takes(request))) continue
        const answer = await answerFor(entry, request)
        if (answer) return answer
        entry.release()
      } catch (thrown) {
        return refusal(500, `the rule could not answer: ${reasonOf(thrown)}`)
      }
    }
    return base
  }

  const book = {
    /** Adds a rule before those there are; gives the function that removes it. */
    add(rule: Rule): () => void {
      const entry = entryOf(readRule(rule))
      entries = [entry, ...entries]
      return () => void (entries = entries.filter((each) => each !== entry))
    },
    /** Has the rules of the options again, as if none had answered. */
    reset() {
      entries = rules.map(entryOf)
    },
    /** The answer to a request that came in whole. */
    find(request: CapturedRequest): Answer | Promise<Answer> {
      if (request.truncated) return refusal(413, `the body is larger than ${formatLimit(maxBody)}`)
      if (forwarding && headerOf(request.headers, HOP_HEADER) !== undefined) {
        return refusal(508, 'this request was passed on by a catcher already: a loop')
      }
      return entries.length === 0 ? base : decide(request)
    },
    /** What a sender gets whose request could not be written down. */
    unrecorded: refusal(503, 'the request could not be recorded'),
  }
  book.reset()
  return book
}
