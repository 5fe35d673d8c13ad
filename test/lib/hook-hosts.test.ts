/** The hosts that HOOK_HOSTS lists, and how an address of a hook is reached. */

import { expect, it } from 'vitest'
import { readHookHosts, routeOf, type HookRoute } from '../../worker/schema/hook-hosts.ts'

it.each<[list: string, url: string, route: HookRoute | null]>([
  ['', 'https://chat.corp.lan/', null],
  ['chat.corp.lan', 'https://chat.corp.lan/', 'name'],
  ['chat.corp.lan', 'http://chat.corp.lan:8065/', 'name'],
  ['Chat.Corp.Lan', 'https://CHAT.corp.lan./', 'name'],
  ['chat.corp.lan', 'https://chat.corp.lan.example.com/', null],
  ['chat.corp.lan', 'https://x.chat.corp.lan/', null],
  ['chat', 'https://chat/', 'name'],
  ['*.corp.lan', 'https://a.b.corp.lan/', 'name'],
  ['*.corp.lan', 'https://corp.lan/', null],
  ['*.corp.lan', 'https://evilcorp.lan/', null],
  ['*', 'https://anything.example/', 'name'],
  // A pattern of names covers no addresses.
  ['*', 'https://10.1.2.3/', null],
  ['10.*', 'https://10.1.2.3/', null],
  ['chat.corp.lan:443', 'https://chat.corp.lan/', 'name'],
  ['chat.corp.lan:443', 'http://chat.corp.lan/', null],
  ['chat.corp.lan:80', 'http://chat.corp.lan/', 'name'],
  ['chat.corp.lan:8443', 'https://chat.corp.lan/', null],
  ['chat.corp.lan:8443,chat.corp.lan:443', 'https://chat.corp.lan/', 'name'],
  ['10.1.2.3', 'https://10.1.2.3/', 'address'],
  ['10.1.2.3', 'https://10.1.2.4/', null],
  ['10.1.2.3', 'https://[::ffff:10.1.2.3]/', 'address'],
  ['10.1.0.0/16', 'https://10.1.255.255/', 'address'],
  ['10.1.77.77/16', 'https://10.1.0.0/', 'address'],
  ['10.1.0.0/16', 'https://10.2.0.0/', null],
  ['0.0.0.0/0', 'https://10.2.0.0/', 'address'],
  ['0.0.0.0/0', 'https://[fd00::1]/', null],
  ['10.1.0.0/16:8443', 'https://10.1.2.3:8443/', 'address'],
  ['10.1.0.0/16:8443', 'https://10.1.2.3/', null],
  ['fd00::/8', 'https://[fd12::1]/', 'address'],
  ['fd00::1', 'https://[fd00:0:0::0:1]/', 'address'],
  ['[fd00::1]:8443', 'https://[fd00::1]:8443/', 'address'],
  ['[fd00::]/8:8443', 'https://[fd12::1]/', null],
  ['fe80::/10', 'https://[fd00::1]/', null],
  // The addresses to which names lead are the runtime's to check.
  ['10.1.0.0/16', 'https://chat.corp.lan/', 'other'],
  ['10.1.0.0/16:8443', 'https://chat.corp.lan:8443/', null],
  ['localhost', 'http://localhost:9000/', 'address'],
  ['localhost', 'http://127.0.0.1:9000/', null],
  ['localhost', 'https://chat.corp.lan/', null],
])('%s: %s', (list, url, route) => {
  expect(routeOf(readHookHosts(list), new URL(url))).toBe(route)
})

it.each([
  'https://chat.corp.lan',
  'chat.corp.lan/hook',
  'user@chat.corp.lan',
  'chat.corp.lan:0',
  'chat.corp.lan:65536',
  'chat.corp.lan:http',
  'chat..lan',
  '10.1.2',
  '10.1.2.256',
  '10.1.2.03',
  '10.1.0.0/33',
  'fd00::/129',
  'fd00:::1',
  '[1:2:3:4::5:6:7:8::9]',
  '[fd00::1',
  '[chat]',
  'chat/8',
])('%s is refused by name', (entry) => {
  expect(() => readHookHosts(`10.1.2.3, ${entry}`)).toThrow(`not "${entry}"`)
})
