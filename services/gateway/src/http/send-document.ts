import { createHash } from 'node:crypto';
import { Problem } from '@teaching/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compressBytes } from '../negotiate/compress.ts';
import { type Encoding, encodingFor, hasMatchingEtag } from '../negotiate/negotiation.ts';
import { BYTES_PER_UNIT } from './address-pace.ts';
import { varyBy, WORTH } from './compress-replies.ts';
import type { RequestGuard } from './request-guard.ts';
import { addressGroupOf } from './trusted-proxies.ts';

/** A public file or document in all its encodings. All answers share these bytes. */
export interface PreparedDocument {
  type: string;
  etag: string;
  plain: Buffer;
  encoded: ReadonlyMap<Encoding, Buffer>;
}

/** Prepares the encodings that are missing in `made`; none for a short text. */
export const prepareDocument = async (
  type: string,
  plain: Buffer,
  encodings: readonly Encoding[],
  made: ReadonlyMap<Encoding, Buffer> = new Map(),
): Promise<PreparedDocument> => {
  const wanted = plain.length < WORTH ? [...made.keys()] : encodings;
  const encode = async (encoding: Encoding): Promise<[Encoding, Buffer]> => [
    encoding,
    made.get(encoding) ?? (await compressBytes(plain, encoding, 'small')),
  ];
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  // Weak, because all encodings of the text have the same tag.
  return { type, etag: `W/"${hash}"`, plain, encoded: new Map(await Promise.all(wanted.map(encode))) };
};

/** Longer answers count as large: the kernel holds them for a client that does not read. */
const LARGE = 65_536;
/** Large answers that one address may receive at once. */
const MOST_LARGE = 10;

const joined = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

export type SendDocument = (
  request: FastifyRequest,
  reply: FastifyReply,
  document: PreparedDocument,
) => Promise<FastifyReply>;

/**
 * Sends documents: 304 if the client has the current one, 503 while its address receives too many large ones. Long
 * documents of one address are sent one after the other.
 */
export const createDocumentSender = (guard: Pick<RequestGuard, 'pace'>): SendDocument => {
  const receiving = new Map<string, number>();

  const countLarge = (request: FastifyRequest, reply: FastifyReply): void => {
    const address = addressGroupOf(request.ip);
    const others = receiving.get(address) ?? 0;
    if (others >= MOST_LARGE)
      throw new Problem('unavailable', `At most ${MOST_LARGE} documents are sent to one address at once`);
    receiving.set(address, others + 1);
    reply.raw.once('close', () => {
      const left = (receiving.get(address) ?? 1) - 1;
      if (left > 0) receiving.set(address, left);
      else receiving.delete(address);
    });
  };

  return async (request, reply, { type, etag, plain, encoded }) => {
    if (encoded.size > 0) varyBy(reply, 'Accept-Encoding');
    reply.code(200).header('etag', etag);
    if (hasMatchingEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const encoding = encodingFor(joined(request.headers['accept-encoding']), [...encoded.keys()]);
    const body = (encoding && encoded.get(encoding)) ?? plain;
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    if (request.method !== 'HEAD') {
      if (body.length > LARGE) countLarge(request, reply);
      await guard.pace(request, Math.ceil(body.length / BYTES_PER_UNIT));
    }
    return reply.header('content-type', type).send(body);
  };
};
