import type { AnyCall } from '@teaching/contracts';
import { type CallHead, decodeReply, encodeFrame, type ReplyHead } from './frame.ts';
import type { Requester } from './requester.ts';

/**
 * Sends a call and answers what comes back. An answer names its question: one that names another, because somebody was
 * answered twice and its subject is used again, is given to nobody. Releases up to 0.2 name none.
 */
export const exchange = async (
  requester: Pick<Requester, 'call'>,
  call: AnyCall,
  head: CallHead,
  body: Uint8Array | string,
): Promise<{ head: ReplyHead; body: Buffer }> => {
  const reply = decodeReply(await requester.call(call, encodeFrame(head, body), head.deadline));
  const { request_id = head.request_id } = reply.head;
  if (request_id !== head.request_id) throw new Error(`${call.id} got the answer to another question, ${request_id}`);
  return reply;
};
