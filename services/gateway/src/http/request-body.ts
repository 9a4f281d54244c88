import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@teaching/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * A client with `Expect: 100-continue` waits before it sends the body (RFC 9110 §10.1.1). Such requests are routed like all
 * others; nothing tells them to go on but `sendContinue`.
 */
export const registerExpectContinue = (app: FastifyInstance): void => {
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
};

/** Whether the caller waits to be told that the body is wanted. */
export const expectsContinue = (request: FastifyRequest): boolean => request.headers.expect !== undefined;

/** Lets a waiting caller send the body. */
export const sendContinue = (reply: FastifyReply): void => reply.raw.writeContinue();

const ENCODED = 'Send JSON in UTF-8 without content encoding';

const isPlainUtf8 = (request: FastifyRequest): boolean => {
  const encoding = request.headers['content-encoding'];
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return (encoding ?? 'identity') === 'identity' && /^utf-?8$/i.test(charset ?? 'utf-8');
};

const tooLarge = (most: number): Problem =>
  new Problem('payload_too_large', `A body has at most ${most / 1_024} KiB here`);

/** Refuses a body whose announced length is more than it may have: `most` bytes. */
export const checkLength = (request: FastifyRequest, most: number): void => {
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
};

/** Refuses an announced body by its kind. */
export const checkContentType = (request: FastifyRequest): void => {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '') || !isPlainUtf8(request))
    throw new Problem('unsupported_media_type', ENCODED);
};

/** Reads the bytes of a JSON body, at most as many as its route takes; the rest of a larger one is not kept. */
export const readBody = (
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: Buffer) => void,
): void => {
  if (!isPlainUtf8(request)) {
    payload.resume();
    done(new Problem('unsupported_media_type', ENCODED));
    return;
  }
  const most = request.routeOptions.bodyLimit;
  const chunks: Buffer[] = [];
  let size = 0;
  const keep = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
    else finish(tooLarge(most));
  };
  const finish = (error: Error | null): void => {
    payload.off('data', keep).off('error', finish).off('end', end);
    if (error !== null) {
      chunks.length = 0;
      payload.on('error', () => {}).resume();
      done(error);
    } else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  };
  const end = (): void => finish(null);
  payload.on('data', keep).on('error', finish).on('end', end);
};

/** Connections on which an answer went out before all of the request was there. */
const answered = new WeakSet<object>();

/** Whether the request of this connection has its answer but has not ended. */
export const isAnswered = (socket: object): boolean => answered.has(socket);

/**
 * A client refused before its body arrived may send the rest, so that the answer is not lost with the connection, but no
 * longer than this: then the connection is closed. Nothing of it is kept meanwhile.
 */
export const closeUnreadRequests = (app: FastifyInstance, patience_ms: number): void => {
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) {
      const socket: Socket = raw.socket;
      answered.add(socket);
      const timer = setTimeout(() => socket.destroy(), patience_ms);
      // A connection outlives many requests: none of them leaves anything on it.
      const forget = (): void => {
        answered.delete(socket);
        clearTimeout(timer);
        raw.off('end', forget);
        socket.off('close', forget);
      };
      raw.once('end', forget);
      socket.once('close', forget);
    }
    done();
  });
};
