import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { compressBytes, compressStream } from '../negotiate/compress.ts';
import { encodingFor } from '../negotiate/negotiation.ts';

const compress = callbackify(compressBytes);

/** Smallest size in bytes that is worth compressing. */
export const WORTH = 1_024;

/** Adds a request header to `Vary`. */
export const varyBy = (reply: FastifyReply, name: string): void => {
  const known = reply.getHeader('vary');
  reply.header('vary', known === undefined ? name : `${String(known)}, ${name}`);
};

/** True for a response whose encoding is already chosen. */
const isNegotiated = (reply: FastifyReply): boolean =>
  reply.hasHeader('content-encoding') || String(reply.getHeader('vary')).includes('Accept-Encoding');

/** Compresses long responses for clients that accept it; short ones stay unchanged. */
export const registerCompression = (app: FastifyInstance): void => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStream = payload instanceof Readable;
    const isLong = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= WORTH;
    if ((!isStream && !isLong) || isNegotiated(reply)) {
      done(null, payload);
      return;
    }
    varyBy(reply, 'Accept-Encoding');
    const accepted = request.headers['accept-encoding'];
    const encoding = encodingFor(Array.isArray(accepted) ? accepted.join(',') : accepted);
    if (encoding === undefined) {
      done(null, payload);
      return;
    }
    reply.header('content-encoding', encoding).removeHeader('content-length');
    if (isStream) done(null, compressStream(payload, encoding));
    else compress(payload, encoding, done);
  });
};
