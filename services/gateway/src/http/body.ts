import type { IncomingMessage } from 'node:http';
import { Problem } from '@teaching/contracts';
import type { FastifyRequest } from 'fastify';

/** Bytes of a body. */
const LIMIT = 1_048_576;
/** Beyond this nobody is listened to any more. */
const PATIENCE = 64 * LIMIT;

const ENCODED = 'Send JSON in UTF-8 without content encoding';

const isPlainUtf8 = (request: FastifyRequest): boolean => {
  const encoding = request.headers['content-encoding'];
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return (encoding ?? 'identity') === 'identity' && /^utf-?8$/i.test(charset ?? 'utf-8');
};

const tooLarge = (): Problem => new Problem('payload_too_large', 'A body has at most 1 MiB');

/** Refuses a body by what its headers say of it. */
export const checkAnnounced = (request: FastifyRequest): void => {
  if (Number(request.headers['content-length'] ?? 0) > LIMIT) throw tooLarge();
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '') || !isPlainUtf8(request))
    throw new Problem('unsupported_media_type', ENCODED);
};

/**
 * Reads the bytes of a JSON body, at most 1 MiB. A larger one is still read to its end, so that its sender
 * hears 413 instead of a broken connection.
 */
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
  const chunks: Buffer[] = [];
  let size = 0;
  payload.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LIMIT) chunks.push(chunk);
    else chunks.length = 0;
    if (size > PATIENCE) payload.destroy();
  });
  payload.on('error', (error) => done(error));
  payload.on('end', () => {
    if (size > LIMIT) done(tooLarge());
    else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
};
