/**
 * Kinds of assertions in which the service is known to be wrong, each with why. The table shrinks to nothing: a kind that no
 * longer differs in any story must be taken out, or the test fails.
 */
export const KNOWN: Readonly<Record<string, string>> = {
  'since of a cause': 'Of a node that healed, a clock that is ahead is believed.',
  'first seen of a cause': 'A clock that is ahead is believed.',
  'first seen of drift': 'Readers who see some nodes only are not told it.',
  'nodes of a deploy':
    'After a rollback a run that does not compile belongs to the code that nodes went back to.',
}
