import type { Msg } from '@nats-io/transport-node';
import { decodeCall, encodeFrame, type ReplyHead } from '../../../libs/kit/src/rpc/frame.ts';

/** The frame of a reply to a call, with its request id, which callers require. */
export const replyFrame = ({ request_id }: { request_id: string }, head: ReplyHead, body: string): Buffer =>
  encodeFrame({ ...head, request_id }, body);

/** Replies to a call on the bus in place of the service. */
export const replyToCall = (message: Msg, head: ReplyHead, body: string): void => {
  message.respond(replyFrame(decodeCall(message.data).head, head, body));
};
