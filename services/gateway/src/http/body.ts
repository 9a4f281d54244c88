import type { IncomingMessage } from 'node:http';
import { Problem } from '@teaching/contracts';
import type { FastifyRequest } from 'fastify';

const LIMIT = 1_048_576;
/** Beyond this nobody is listened to any more. */
const PATIENCE = 64 * LIMIT;

const isPlainUtf8 = (request: FastifyRequest): boolean => {
  const encoding = request.headers['content-encoding'];
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return (encoding ?? 'identity') === 'identity' && /^utf-?8$/i.test(charset ?? 'utf-8');
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
    done(new Problem('unsupported_media_type', 'Send JSON in UTF-8 without content encoding'));
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
    if (size > LIMIT) done(new Problem('payload_too_large', 'A body has at most 1 MiB'));
    else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
};
