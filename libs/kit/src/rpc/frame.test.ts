import { describe, expect, it } from 'vitest';
import { decodeCall, decodeReply, encodeFrame } from './frame.ts';

const head = { status: 200, etag: '"1"' };

describe('A frame', () => {
  it.each<[string, string | Uint8Array]>([
    ['text', '{"title":"数学\\n"}\n'],
    ['bytes that are not text', Uint8Array.of(0, 10, 255)],
    ['an empty body', ''],
  ])('carries %s unchanged', (_what, body) => {
    const reply = decodeReply(encodeFrame(head, body));
    expect(reply.head).toEqual(head);
    expect([...reply.body]).toEqual([...Buffer.from(body)]);
  });

  it('is read from a part of a larger buffer', () => {
    const frame = encodeFrame(head, 'body');
    const larger = Buffer.concat([Buffer.from('before\n'), frame]);
    expect(decodeReply(larger.subarray(7)).body.toString()).toBe('body');
  });

  it.each([
    ['without a newline', 'no newline', 'has no head line'],
    ['with the head null', 'null\n', 'is not an object'],
    ['with a string as its head', '"x"\n', 'is not an object'],
    ['with a head that is not JSON', '{\n', 'JSON'],
  ])('is refused %s', (_case, text, reason) => {
    expect(() => decodeCall(Buffer.from(text))).toThrow(reason);
  });
});
