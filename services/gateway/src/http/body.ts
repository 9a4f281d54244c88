import type { IncomingMessage } from 'node:http';
import { Problem } from '@teaching/contracts';
import type { FastifyRequest } from 'fastify';

/** Bytes of a body. */
const LIMIT = 1_048_576;

const ENCODED = 'Send JSON in UTF-8 without content encoding';

const isPlainUtf8 = (request: FastifyRequest): boolean => {
  const encoding = request.headers['content-encoding'];
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return (encoding ?? 'identity') === 'identity' && /^utf-?8$/i.test(charset ?? 'utf-8');
};

const tooLarge = (): Problem => new Problem('payload_too_large', 'A body has at most 1 MiB');

/** Refuses a body whose announced length is more than it may have. */
export const checkLength = (request: FastifyRequest): void => {
  if (Number(request.headers['content-length'] ?? 0) > LIMIT) throw tooLarge();
};

/** Refuses an announced body by its kind. */
export const checkKind = (request: FastifyRequest): void => {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '') || !isPlainUtf8(request))
    throw new Problem('unsupported_media_type', ENCODED);
};

/** Reads the bytes of a JSON body, at most 1 MiB; the rest of a larger one is not kept. */
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
  const keep = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= LIMIT) chunks.push(chunk);
    else finish(tooLarge());
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
