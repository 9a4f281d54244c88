import { accessCalls } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { sendCall } from './call-service.ts';
import { encodeFrame } from './frame.ts';

const requesterWith = (head: { status: number; request_id?: string }) => ({
  call: async () => encodeFrame(head, 'body'),
});
const send = (head: { status: number; request_id?: string }) =>
  sendCall(
    requesterWith(head),
    accessCalls.listRevokedPeople,
    { request_id: 'mine', deadline: performance.now() + 1_000 },
    '{}',
  );

describe('The reply to a call', () => {
  it('is returned when it names the request', async () => {
    expect((await send({ status: 200, request_id: 'mine' })).body.toString()).toBe('body');
  });

  it.each([{ status: 200, request_id: 'theirs' }, { status: 200 }])(
    'is refused when it does not name the request: %j',
    async (head) => {
      await expect(send(head)).rejects.toThrow('got the reply to another request');
    },
  );
});
