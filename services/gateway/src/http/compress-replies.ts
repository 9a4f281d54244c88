import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { compressed, compressedStream } from '../negotiate/compress.ts';
import { encodingFor } from '../negotiate/negotiation.ts';

const compress = callbackify(compressed);

/** Bytes from which on compressing is worth its while. */
const WORTH = 1_024;

/** Its parts are short, and each has to be there at once. */
export const isEventStream = (reply: FastifyReply): boolean => reply.getHeader('content-type') === 'text/event-stream';

/** Says that answers differ by this header of the request. */
const varyBy = (reply: FastifyReply, name: string): void => {
  const known = reply.getHeader('vary');
  reply.header('vary', known === undefined ? name : `${String(known)}, ${name}`);
};

/** Long answers go compressed to whoever takes them so; short ones pass untouched. */
export const registerCompression = (app: FastifyInstance): void => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStream = payload instanceof Readable;
    const isLong = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= WORTH;
    if ((!isStream && !isLong) || reply.hasHeader('content-encoding') || isEventStream(reply)) {
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
    if (isStream) done(null, compressedStream(payload, encoding));
    else compress(payload, encoding, done);
  });
};
