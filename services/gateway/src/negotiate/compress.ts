import { pipeline, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';
import type { Encoding } from './negotiation.ts';

/** Compression effort: `quick` for responses, which are sent once; `small` for documents, which are cached. */
export type CompressionEffort = 'quick' | 'small';

const BROTLI = { quick: 4, small: 6 } as const;
const GZIP = { quick: 5, small: 6 } as const;
const ZSTD = { quick: 3, small: 9 } as const;
const brotli = (effort: CompressionEffort) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI[effort] } });
const zstd = (effort: CompressionEffort) => ({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD[effort] } });

const [gzipped, brotlied, zstdied] = [promisify(gzip), promisify(brotliCompress), promisify(zstdCompress)];

/** The bytes, compressed off the main thread. */
export const compressBytes = (
  bytes: Buffer | string,
  encoding: Encoding,
  effort: CompressionEffort = 'quick',
): Promise<Buffer> => {
  if (encoding === 'gzip') return gzipped(bytes, { level: GZIP[effort] });
  return encoding === 'br' ? brotlied(bytes, brotli(effort)) : zstdied(bytes, zstd(effort));
};

const compressor = (encoding: Encoding): Transform => {
  if (encoding === 'gzip') return createGzip({ level: GZIP.quick });
  return encoding === 'br' ? createBrotliCompress(brotli('quick')) : createZstdCompress(zstd('quick'));
};

/** Compresses a stream while it is read. When the source fails, the result fails at the same place. */
export const compressStream = (source: Readable, encoding: Encoding): Readable =>
  pipeline(source, compressor(encoding), () => {});
