import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import { allEvents, operations } from '@teaching/contracts';
import Fastify from 'fastify';
import { compressBytes } from '../negotiate/compress.ts';
import { asyncApiDocument } from './asyncapi.ts';
import type { Document, DocumentName } from './docs.ts';
import { openApiDocument } from './openapi.ts';

/** The program that shows an API document in a browser (Scalar), as its package brings it. */
const referenceScript = async (): Promise<string> => {
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await app.inject('/docs/js/scalar.js');
  if (statusCode !== 200) throw new Error('the reference is not where it was');
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
  // Weak: the same text goes in several encodings.
  return { etag: `W/"${hash}"`, plain, encoded: { zstd, br, gzip } };
};

/** Runs as a worker: makes the one document it was started for. */
const name = workerData as DocumentName; // given by `document.ts` alone
parentPort?.postMessage(await documentOf(await CONTENTS[name]()));
