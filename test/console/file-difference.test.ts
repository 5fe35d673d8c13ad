/** Differences of files as agents log them, read from their text. */

import { describe, expect, it } from 'vitest'
import { readDifference } from '../../worker/console/file-difference.ts'

const HEAD = '\n--- /etc/motd\t2026-03-02 06:00:00\n+++ /tmp/puppet-file2026\t2026-03-02 06:01:00\n'

/** Lines as `before after sign text`, changed words in brackets. */
const shown = (message: string): string[] | null =>
  readDifference(message)?.hunks.flatMap((hunk) =>
    hunk.map(({ before, after, kind, pieces }) => {
      const text = pieces.map(([piece, isChanged]) => (isChanged ? `[${piece}]` : piece)).join('')
      return `${before ?? '·'} ${after ?? '·'} ${{ same: ' ', gone: '-', came: '+' }[kind]} ${text}`
    }),
  ) ?? null

describe('a difference', () => {
  it('has the numbers of its lines, and what changed in them', () => {
    expect(
      shown(
        `${HEAD}@@ -11,4 +11,4 @@\n tickets off;\n-ssl_ciphers HIGH:!MD5;\n-handshake on;\n+ssl_ciphers AESGCM;\n+handshakes on;\n stapling on;\n`,
      ),
    ).toEqual([
      '11 11   tickets off;',
      '12 · - ssl_ciphers [HIGH:!MD5];',
      '13 · - [handshake] on;',
      '· 12 + ssl_ciphers [AESGCM];',
      '· 13 + [handshakes] on;',
      '14 14   stapling on;',
    ])
  })

  it('has several hunks, and lines that only came or only went', () => {
    expect(
      shown(`${HEAD}@@ -1 +1,2 @@\n a\n+b\n@@ -9,2 +10 @@\n-x\n y\n\\ No newline at end of file`),
    ).toEqual(['1 1   a', '· 2 + b', '9 · - x', '10 10   y'])
  })

  it('leaves lines whole that have no word in common', () => {
    expect(shown(`${HEAD}@@ -1 +1 @@\n-one\n+two`)).toEqual(['1 · - one', '· 1 + two'])
  })

  it('is cut after 200 lines, and says how many are left', () => {
    const lines = Array.from({ length: 201 }, (_, n) => `+line ${n}\n`).join('')
    expect(readDifference(`${HEAD}@@ -0,0 +1,201 @@\n${lines}`)).toMatchObject({ left: 1 })
    expect(shown(`${HEAD}@@ -0,0 +1,201 @@\n${lines}`)).toHaveLength(200)
  })

  it.each([
    'content changed {md5}aa to {md5}bb',
    '[diff redacted]',
    '',
    '@@ -1 +1 @@\n-no head\n+of files',
    '--- a\n+++ b\n',
  ])('is none: %j', (message) => {
    expect(readDifference(message)).toBeNull()
  })
})
