/** Heads of requests that workerd would not answer as HTTP asks for: which are refused, and which are rewritten. */

import { refusal } from './refusal.ts'

/** The first byte of TLS. Source: RFC 8446, 5.1, handshake. */
const HANDSHAKE = 0x16
/** workerd takes half a line break for a whole one, and so finds headers where RFC 9112 has none. */
const BARE_LINE_BREAK = /\r(?!\n)|(?<!\r)\n/
/** Source: RFC 9112, 5.1. */
const BLANK_BEFORE_COLON = /\n[^\s:]+[ \t]+:/
const ABSOLUTE = /^(\S+) https?:\/\/([^/?#\s]*)(\S*) /i
const HOST = /\r\nhost[ \t]*:[^\r\n]*/gi

const refused = (sentence: string): string => refusal('400 Bad Request', sentence)

/** The answer to a client that speaks TLS to the port for plain HTTP. */
export const NOT_TLS = refused('This port speaks HTTP without TLS. Use an address with http://.\n')
/** The answer to a client that ends within a request. */
export const INCOMPLETE = refused('The request ended before it was complete.\n')

export const beginsTls = (bytes: Buffer): boolean => bytes[0] === HANDSHAKE

/** The answer to a request that workerd must not get; null for one that it may. */
export function refusalOf(head: string): string | null {
  if (head.startsWith('CONNECT '))
    return refusal('405 Method Not Allowed', 'This service is not a proxy.\n')
  if (BARE_LINE_BREAK.test(head))
    return refused('A line of the head of the request does not end with CR and LF.\n')
  if (BLANK_BEFORE_COLON.test(head))
    return refused('The head of the request has a blank before a colon.\n')
  return ABSOLUTE.exec(head)?.[2]?.includes('@')
    ? refused('The address of the request has credentials.\n')
    : null
}

/**
 * The head with its target in origin form, and the host of its target as `Host`; null where it has that form.
 * Servers have to take the absolute form (RFC 9112, 3.2.2), and workerd answers it with 500.
 */
export function inOriginForm(
  head: string,
): { readonly head: string; readonly target: string } | null {
  const [line, method, authority, rest] = ABSOLUTE.exec(head) ?? []
  if (line === undefined) return null
  const target = rest!.startsWith('/') ? rest! : `/${rest}`
  const others = head.slice(line.length).replace(HOST, '')
  const end = others.indexOf('\r\n')
  return {
    target,
    head: `${method} ${target} ${others.slice(0, end)}\r\nhost: ${authority}${others.slice(end)}`,
  }
}
