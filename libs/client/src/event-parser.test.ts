import { describe, expect, it } from 'vitest';
import { EventParser } from './event-parser.ts';

const STREAM = [
  'retry: 250\nid: a-1\n\n',
  ':\nid: a-2\n\n',
  'id: a-3\nevent: change\ndata: {"one":\ndata: 1}\n\n',
  'data:plain\n\n',
  'event: never\n\n',
  'id: a-4\nevent: reset\ndata: {}\n\n',
  'id: a-5\nevent: change\ndata: cut off',
].join('');
const EVENTS = [
  { event: 'change', data: '{"one":\n1}' },
  { event: 'message', data: 'plain' },
  { event: 'reset', data: '{}' },
];

/** The text in pieces of `size` characters. */
const pieces = (text: string, size: number): string[] => text.match(RegExp(`[^]{1,${size}}`, 'g')) ?? [];

describe('Parsing a stream of server-sent events', () => {
  it.each([
    ['lines that end with LF', STREAM, 1_000],
    ['lines that end with CRLF', STREAM.replaceAll('\n', '\r\n'), 1_000],
    ['lines that end with CR', STREAM.replaceAll('\n', '\r'), 1_000],
    ['single characters, LF', STREAM, 1],
    ['single characters, CRLF', STREAM.replaceAll('\n', '\r\n'), 1],
    ['small pieces', STREAM, 7],
  ])('reads all events from %s', (_how, text, size) => {
    const parser = new EventParser();
    expect(pieces(text, size).flatMap((piece) => parser.read(piece))).toEqual(EVENTS);
    expect([parser.id, parser.retry_ms]).toEqual(['a-4', 250]);
  });

  it('keeps the id of an event without data', () => {
    const parser = new EventParser();
    expect(parser.read(':\nid: b-9\n\n')).toEqual([]);
    expect(parser.id).toBe('b-9');
  });
});
