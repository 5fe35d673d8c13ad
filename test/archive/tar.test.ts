/** Sizes in the pax headers of an archive: one that is no whole number is refused, and read no further. */

import { expect, it } from 'vitest'
import { readTar, TAR_END, tarFile } from '../../worker/archive/tar.ts'

/** An archive of one file whose pax header says `size`: written in the place of a path of as many bytes. */
function archiveOf(size: string): Buffer {
  const path = `ü${'x'.repeat(size.length - 2)}`
  const file = tarFile(path, Buffer.from('content'), 0).toString('latin1')
  const written = file.replace(`path=${Buffer.from(path).toString('latin1')}`, `size=${size}`)
  expect(written).toContain(`size=${size}`)
  return Buffer.concat([Buffer.from(written, 'latin1'), TAR_END])
}

async function contentsOf(archive: Buffer): Promise<string[]> {
  const contents: string[] = []
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(archive)
  }
  for await (const { content } of readTar(bytes())) contents.push(String(await content(1000)))
  return contents
}

it('a whole number is the size of the file', async () => {
  expect(await contentsOf(archiveOf('07'))).toEqual(['content'])
})

it.each([
  '0.5',
  '-5',
  '-0',
  'abc',
  'Infinity',
  'NaN',
  '1e300',
  '1e1',
  '0x07',
  '  ',
  '9'.repeat(20),
])('a size of %j is refused', async (size) => {
  await expect(contentsOf(archiveOf(size))).rejects.toThrow(
    `This isn't a tar archive, or it's damaged: a header has the size '${size}'.`,
  )
})

it('a file belongs to the first user and group, and all may read it', () => {
  const header = tarFile('a', Buffer.from('content'), 0).subarray(0, 512).toString('latin1')
  // POSIX.1, ustar: mode, uid and gid are eight bytes each behind a name of 100.
  expect(header.slice(100, 124).split('\0')).toEqual(['0000644', '0000000', '0000000', ''])
  // The magic and the version.
  expect(header.slice(257, 265)).toBe('ustar\x0000')
})
