import { accessCalls } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { sendCall } from './call-service.ts';
import { encodeFrame } from './frame.ts';

const answering = (head: { status: number; request_id?: string }) => ({
  call: async () => encodeFrame(head, 'body'),
});
const ask = (head: { status: number; request_id?: string }) =>
  sendCall(answering(head), accessCalls.listRevokedPeople, { request_id: 'mine', deadline: Date.now() + 1_000 }, '{}');

describe('a reply', () => {
  it('is returned when it names its request', async () => {
    expect((await ask({ status: 200, request_id: 'mine' })).body.toString()).toBe('body');
  });

  it.each([{ status: 200, request_id: 'theirs' }, { status: 200 }])('is refused otherwise: %j', async (head) => {
    await expect(ask(head)).rejects.toThrow('got the reply to another request');
  });
});
