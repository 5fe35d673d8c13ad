/** The field of an upload, in whatever pieces it comes: what senders may write, and what is refused. */

import { describe, expect, it } from 'vitest'
import { boundaryOf, fieldNamed } from '../../worker/http/admin/multipart.ts'

const LONGEST_HEADERS = 16_384
const MOST_PARTS = 100

const part = (headers: string, content: string): string =>
  `--edge\r\n${headers}\r\n\r\n${content}\r\n`
const named = (name: string, content: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, content)
const END = '--edge--\r\n'

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += size)
    yield await Promise.resolve(Buffer.from(text.slice(at, at + size)))
}

/** The content of the field `archive`, or why there is none. */
async function archiveIn(body: string, size = body.length): Promise<string> {
  let text = ''
  try {
    for await (const piece of fieldNamed('archive', piecesOf(body, size), 'edge'))
      text += Buffer.from(piece).toString()
    return text
  } catch (error) {
    return (error as Error).message
  }
}

describe('the field', () => {
  it.each([
    ['alone', named('archive', 'abc') + END],
    ['behind another', named('other', 'x') + named('archive', 'abc') + END],
    ['before another of its name', named('archive', 'abc') + named('archive', 'x') + END],
    ['whose name has no quotes', part('content-disposition: form-data; name=archive', 'abc') + END],
    [
      'with a file name and other headers',
      part('X: 1\r\nContent-Disposition: form-data; filename="f"; name="archive"', 'abc') + END,
    ],
    ['behind a preamble', `preamble\r\n${named('archive', 'abc')}${END}`],
  ])('%s', async (_, body) => {
    for (const size of [1, 2, 5, body.length]) expect(await archiveIn(body, size)).toBe('abc')
  })

  it('keeps line ends and what looks like a boundary', async () => {
    const content = '\r\n--edg\r\n\r\n--'
    expect(await archiveIn(named('archive', content) + END, 3)).toBe(content)
  })
})

describe('a body is refused', () => {
  it.each([
    ['', 'The multipart body has no parts.'],
    ['no boundary', 'The multipart body has no parts.'],
    [named('other', 'x') + END, 'The multipart body has no field "archive".'],
    [named('archive', 'abc').slice(0, -1), 'The multipart body ends within the field "archive".'],
  ])('%j', async (body, sentence) => {
    expect(await archiveIn(body)).toBe(sentence)
  })

  it.each([
    [MOST_PARTS - 2, 'abc'],
    [MOST_PARTS - 1, 'abc'],
    [MOST_PARTS, 'The multipart body has more than 100 parts.'],
  ])('behind %i other parts: %s', async (others, outcome) => {
    const body = named('other', 'x').repeat(others) + named('archive', 'abc') + END
    expect(await archiveIn(body)).toBe(outcome)
  })

  it.each([
    [LONGEST_HEADERS - 1, 'abc'],
    [LONGEST_HEADERS, 'abc'],
    [LONGEST_HEADERS + 1, 'A part has too long headers.'],
  ])('with %i characters of headers: %s', async (length, outcome) => {
    const disposition = 'Content-Disposition: form-data; name="archive"\r\nX: '
    expect(await archiveIn(part(disposition.padEnd(length, 'x'), 'abc') + END)).toBe(outcome)
  })
})

describe('the boundary', () => {
  it.each([
    ['multipart/form-data; boundary=edge', 'edge'],
    ['Multipart/Form-Data; charset=x; Boundary="the edge"', 'the edge'],
    ['application/gzip', null],
    ['multipart/form-database; boundary=edge', null],
  ])('of %j is %j', (type, boundary) => {
    expect(boundaryOf(type)).toBe(boundary)
  })

  it('is required', () => {
    expect(() => boundaryOf('multipart/form-data')).toThrow('The multipart body has no boundary.')
  })
})
