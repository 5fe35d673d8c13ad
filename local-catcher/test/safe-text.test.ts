import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, post, sendRaw, temporaryFolder, type Launched } from './launch.js'

// What must never reach a terminal: C0 but tab and newline, DEL, C1, and what nobody sees.
const HARMFUL =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u

const file = join(temporaryFolder(), 'record.jsonl')
let catcher: Launched
beforeAll(async () => {
  catcher = await launch(['--output', file, '--ui', '0', '--secret', 'github:s'])
})
afterAll(() => catcher.stop())

/** All code units but surrogates, which UTF-8 cannot hold, 256 to a text. */
const ROWS = Array.from({ length: 256 }, (_, row) =>
  Array.from({ length: 256 }, (_, column) => row * 256 + column)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCharCode(code))
    .join(''),
).filter((row) => row !== '')

const inHeader = (text: string) => Buffer.from(text.replace(/[\0-\x08\x0a-\x1f\x7f]/g, ''))
const inTarget = (text: string) => Buffer.from(text.replace(/[\0-\x20\x7f]/g, ''))

it('lets no code unit of any of five places drive the terminal, the file or the page', async () => {
  for (const [row, text] of ROWS.entries()) {
    const body = Buffer.from(text)
    const part = Buffer.from(
      `--e\r\nContent-Disposition: form-data; name="f"; filename="${text}"\r\n\r\n${text}\r\n--e--`,
    )
    const head = (path: Buffer | string, headers: Buffer | string, length: number) =>
      Buffer.concat([
        Buffer.from(`POST /${row}/`),
        Buffer.from(path as string),
        Buffer.from(
          ` HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\nX-Any: `,
        ),
        Buffer.from(headers as string),
        Buffer.from('\r\n\r\n'),
      ])
    const signature = Buffer.concat([
      inHeader(text),
      Buffer.from('\r\nX-Hub-Signature-256: '),
      inHeader(text),
    ])
    const multipart = Buffer.from('a\r\nContent-Type: multipart/form-data; boundary=e')
    const json = Buffer.from(JSON.stringify({ [text]: text }).replace(/\\u00(7f|[89]\w)/g, ''))
    await Promise.all([
      sendRaw(catcher.port, Buffer.concat([head(inTarget(text), signature, body.length), body])),
      sendRaw(catcher.port, Buffer.concat([head('part', multipart, part.length), part])),
      sendRaw(catcher.port, Buffer.concat([head('json', 'a', json.length), json])),
      sendRaw(catcher.port, Buffer.concat([Buffer.from('B@D '), body, Buffer.from('\r\n\r\n')])),
    ])
  }
  const screen = catcher.screen()
  expect(screen.match(/^#\d+ /gm)!.length).toBeGreaterThanOrEqual(ROWS.length * 4)
  expect(screen).toContain('\\x1b')
  expect(screen).toContain('\\u202e')
  expect(HARMFUL.exec(screen)).toBeNull()
  expect(HARMFUL.exec(readFileSync(file, 'utf8'))).toBeNull()
})

it('keeps in the record the very bytes that it escapes on screen', async () => {
  const text = '\u202e\x1b[2J\x7f\x9b\u200b\u{e0041}\r'
  await post(`${catcher.url}/exact`, text)
  const line = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!
  expect(HARMFUL.exec(line)).toBeNull()
  expect((JSON.parse(line) as { body: string }).body).toBe(text)
  expect(catcher.screen()).toContain('\\u202e\\x1b[2J\\x7f\\x9b\\u200b\\u{e0041}\\x0d\n')
})

it('shows the page nothing that could pass for another text either', async () => {
  const { requests } = (await (await fetch(`${catcher.page}/api/list`)).json()) as {
    requests: { n: number; url: string }[]
  }
  const exact = requests.find(({ url }) => url === '/exact')!
  const detail = (await (await fetch(`${catcher.page}/api/requests/${exact.n}`)).json()) as Record<
    string,
    string
  >
  for (const view of ['pretty', 'raw', 'hex', 'url']) expect(HARMFUL.exec(detail[view])).toBeNull()
})

it('escapes in colour too: only the colours of ours are there', async () => {
  const coloured = await launch([], { FORCE_COLOR: '1' })
  await post(coloured.url, '{"a":"\u009b31m","b":[1,true]}')
  await post(coloured.url, 'text \x1b[31m')
  await coloured.stop()

  const without = coloured.screen().replace(/\x1b\[(?:0|1|2|31|32|33|35|36)m/g, '')
  expect(coloured.screen()).toContain('\x1b[36m"a"\x1b[0m: \x1b[32m"\\x9b31m"\x1b[0m')
  expect(HARMFUL.exec(without)).toBeNull()
})
