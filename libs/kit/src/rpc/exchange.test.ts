import { accessCalls } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { exchange } from './exchange.ts';
import { encodeFrame } from './frame.ts';

const answering = (head: { status: number; request_id?: string }) => ({
  call: async () => encodeFrame(head, 'body'),
});
const ask = (head: { status: number; request_id?: string }) =>
  exchange(answering(head), accessCalls.listShutOut, { request_id: 'mine', deadline: Date.now() + 1_000 }, '{}');

describe('an answer', () => {
  it.each([{ status: 200, request_id: 'mine' }, { status: 200 }])('is taken: %j', async (head) => {
    expect((await ask(head)).body.toString()).toBe('body');
  });

  it('to another question is given to nobody', async () => {
    await expect(ask({ status: 200, request_id: 'theirs' })).rejects.toThrow(
      'got the answer to another question, theirs',
    );
  });
});
