import type { IncomingMessage } from 'node:http';
import { Problem } from '@teaching/contracts';
import type { FastifyRequest } from 'fastify';

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
export const checkKind = (request: FastifyRequest): void => {
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
