import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import { allEvents, operations } from '@teaching/contracts';
import Fastify from 'fastify';
import { compressBytes } from '../negotiate/compress.ts';
import { asyncApiDocument } from './asyncapi.ts';
import type { Document, DocumentName } from './docs.ts';
import { openApiDocument } from './openapi.ts';

/** The script of the API reference (Scalar), from its package. */
const referenceScript = async (): Promise<string> => {
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await app.inject('/docs/js/scalar.js');
  if (statusCode !== 200) throw new Error('The Scalar package does not contain the script /docs/js/scalar.js');
  return body;
};

const CONTENTS: Readonly<Record<DocumentName, () => string | Promise<string>>> = {
  openapi: () => JSON.stringify(openApiDocument(operations)),
  asyncapi: () => JSON.stringify(asyncApiDocument(allEvents)),
  reference: referenceScript,
};

const documentOf = async (text: string): Promise<Document> => {
  const plain = Buffer.from(text);
  const [zstd, br, gzip] = await Promise.all([
    compressBytes(plain, 'zstd', 'small'),
    compressBytes(plain, 'br', 'small'),
    compressBytes(plain, 'gzip', 'small'),
  ]);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  // Weak, because all encodings of the text have the same tag.
  return { etag: `W/"${hash}"`, plain, encoded: { zstd, br, gzip } };
};

/** Runs as a worker and makes the document named by `workerData`. */
const name = workerData as DocumentName; // set by `docs.ts`
parentPort?.postMessage(await documentOf(await CONTENTS[name]()));
