import { describe, expect, it } from 'vitest';
import { decodeCall, decodeReply, encodeFrame } from './frame.ts';

const head = { status: 200, etag: '"1"' };

describe('a frame', () => {
  it.each<[string, string | Uint8Array]>([
    ['text', '{"title":"数学\\n"}\n'],
    ['bytes that are no text', Uint8Array.of(0, 10, 255)],
    ['nothing', ''],
  ])('carries %s unchanged', (_what, body) => {
    const reply = decodeReply(encodeFrame(head, body));
    expect(reply.head).toEqual(head);
    expect([...reply.body]).toEqual([...Buffer.from(body)]);
  });

  it('is read where it lies in a larger buffer', () => {
    const frame = encodeFrame(head, 'body');
    const larger = Buffer.concat([Buffer.from('before\n'), frame]);
    expect(decodeReply(larger.subarray(7)).body.toString()).toBe('body');
  });

  it.each([
    ['without a line', 'no newline', 'without a head line'],
    ['whose head is null', 'null\n', 'no object'],
    ['whose head is a text', '"x"\n', 'no object'],
    ['whose head is no JSON', '{\n', 'JSON'],
  ])('%s is none', (_what, text, why) => {
    expect(() => decodeCall(Buffer.from(text))).toThrow(why);
  });
});
