import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { Problem } from '@teaching/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The listeners through which Node's HTTP server reads a connection, and answers its errors with a response. */
const HTTP_EVENTS = ['data', 'end', 'drain', 'error', 'pause', 'resume'];

const ignore = (): void => {};

/** Ends a connection with the client's side: nothing else is sent on it. */
function endSoon(this: Socket): void {
  this.destroySoon();
}

/**
 * Releases the parser of a connection. Node does so when a connection closes, in the listener that it adds when the
 * connection opens: the first one. The other listeners run when the connection really closes.
 */
const releaseParser = (socket: Socket): void => {
  const [release] = socket.listeners('close');
  if (release === undefined) return;
  socket.removeListener('close', release as () => void);
  Reflect.apply(release, socket, [false]);
};

/**
 * Sends the head of a response and returns the connection, on which the caller then writes the body and which it ends.
 * The end of the connection ends the body (RFC 9112 §6.3). Later bytes of the client are discarded. A connection
 * without traffic is closed as before.
 *
 * Node's HTTP server, Fastify and the parser no longer know the connection: they would keep more than 20 KB for each
 * open response. The hooks `onSend` and `onResponse` do not run. Throws 400 while earlier requests of the connection
 * are unanswered. Resolves to undefined when the client has disconnected.
 */
export const detachConnection = async (request: FastifyRequest, reply: FastifyReply): Promise<Socket | undefined> => {
  const { raw } = reply;
  const { socket } = request.raw;
  const isRead = await finished(request.raw.resume()).then(
    () => true,
    () => false,
  );
  if (!isRead || socket.destroyed) {
    reply.hijack();
    return undefined;
  }
  if (raw.socket === null)
    throw new Problem('invalid_request', 'Send this request when the others of its connection are answered');
  reply.hijack();
  raw.removeHeader('transfer-encoding');
  raw.setHeader('connection', 'close');
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.flushHeaders();
  raw.detachSocket(socket);
  releaseParser(socket);
  for (const event of HTTP_EVENTS) socket.removeAllListeners(event);
  return socket.on('error', ignore).on('end', endSoon).on('data', ignore);
};
