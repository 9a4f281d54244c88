import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@teaching/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * A client with `Expect: 100-continue` waits before it sends the body (RFC 9110 §10.1.1). Such requests are routed like
 * all others; only `sendContinue` asks for the body.
 */
export const registerExpectContinue = (app: FastifyInstance): void => {
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
};

/** True when the client waits for permission to send the body. */
export const expectsContinue = (request: FastifyRequest): boolean => request.headers.expect !== undefined;

/** Asks a waiting client for the body. */
export const sendContinue = (reply: FastifyReply): void => reply.raw.writeContinue();

const ENCODED = 'Send JSON in UTF-8 without content encoding';

const isPlainUtf8 = (request: FastifyRequest): boolean => {
  const encoding = request.headers['content-encoding'];
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return (encoding ?? 'identity') === 'identity' && /^utf-?8$/i.test(charset ?? 'utf-8');
};

const tooLarge = (most: number): Problem =>
  new Problem('payload_too_large', `The body of this request may have at most ${most / 1_024} KiB`);

/** Throws 413 for a body whose `Content-Length` is more than `most` bytes. */
export const checkLength = (request: FastifyRequest, most: number): void => {
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
};

/** Throws 415 for a body that is not JSON in UTF-8 without encoding. */
export const checkContentType = (request: FastifyRequest): void => {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '') || !isPlainUtf8(request))
    throw new Problem('unsupported_media_type', ENCODED);
};

/** Reads the bytes of a JSON body, up to the limit of its route; the rest of a larger body is discarded. */
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
  const append = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
    else finish(tooLarge(most));
  };
  const finish = (error: Error | null): void => {
    payload.off('data', append).off('error', finish).off('end', end);
    if (error !== null) {
      chunks.length = 0;
      payload.on('error', () => {}).resume();
      done(error);
    } else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  };
  const end = (): void => finish(null);
  payload.on('data', append).on('error', finish).on('end', end);
};

/** Connections on which the response was sent before the whole request had arrived. */
const answered = new WeakSet<object>();

/** True when the request of this connection is answered but has not ended. */
export const isAnswered = (socket: object): boolean => answered.has(socket);

/** The rest of a longer body is not parsed: it would cost more than its refusal. */
const SHORT_BODY = 65_536;
/** Pause between two reads of bytes to discard, in milliseconds. A read takes 64 KiB. */
const READ_PAUSE_MS = 200;

/**
 * Ends a connection behind its last answer. Later bytes of the client are read slowly and discarded: closing with unread
 * bytes resets the connection, which may cost the client its answer.
 */
const endSlowly = (socket: Socket): void => {
  socket.end();
  // Node's parser reads through this listener.
  socket.removeAllListeners('data').on('data', () => socket.pause());
  const reading = setInterval(() => socket.resume(), READ_PAUSE_MS);
  socket.once('close', () => clearInterval(reading));
};

/**
 * A client refused before its body arrived may send the rest for `patience_ms`; then the connection is closed. Closing
 * earlier could lose the response. The bytes are discarded. The connection can be used again only after a short body.
 */
export const closeUnreadRequests = (app: FastifyInstance, patience_ms: number): void => {
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) {
      const socket: Socket = raw.socket;
      answered.add(socket);
      const timer = setTimeout(() => socket.destroy(), patience_ms);
      if (!(Number(raw.headers['content-length']) <= SHORT_BODY)) endSlowly(socket);
      // A connection serves many requests: each removes its listeners.
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
