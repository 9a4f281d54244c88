import type { AnyCall } from '@teaching/contracts';
import { type CallHead, decodeReply, encodeFrame, type ReplyHead } from './frame.ts';
import type { Requester } from './requester.ts';

/**
 * Sends a call and returns its reply. A reply names its request. One that names another request, or none, is refused: a service
 * that replies twice would otherwise answer the next call with the same reply subject.
 */
export const exchange = async (
  requester: Pick<Requester, 'call'>,
  call: AnyCall,
  head: CallHead,
  body: Uint8Array | string,
): Promise<{ head: ReplyHead; body: Buffer }> => {
  const reply = decodeReply(await requester.call(call, encodeFrame(head, body), head.deadline));
  const { request_id } = reply.head;
  if (request_id !== head.request_id) throw new Error(`${call.id} got the reply to another request: ${request_id}`);
  return reply;
};
