import scalar from '@scalar/fastify-api-reference';
import { allEvents, operations } from '@teaching/contracts';
import Fastify from 'fastify';
import { prepareDocument } from '../http/send-document.ts';
import { ENCODINGS } from '../negotiate/negotiation.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { DOCUMENT_NAMES, type DocumentName, JSON_TYPE, SCRIPT_TYPE } from './docs.ts';
import { openApiDocument } from './openapi.ts';

/** The script of the API reference (Scalar), from its package. */
const referenceScript = async (): Promise<string> => {
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await app.inject('/docs/js/scalar.js');
  if (statusCode !== 200) throw new Error('The Scalar package does not contain the script /docs/js/scalar.js');
  return body;
};

const CONTENTS: Readonly<Record<DocumentName, { type: string; text: () => string | Promise<string> }>> = {
  openapi: { type: JSON_TYPE, text: () => JSON.stringify(openApiDocument(operations)) },
  asyncapi: { type: JSON_TYPE, text: () => JSON.stringify(asyncApiDocument(allEvents)) },
  reference: { type: SCRIPT_TYPE, text: referenceScript },
};

/** Runs as a process of `docs.ts`, and makes the document named by its argument. */
const name = DOCUMENT_NAMES.find((known) => known === process.argv[2]) ?? 'openapi';
const { type, text } = CONTENTS[name];
const document = await prepareDocument(type, Buffer.from(await text()), ENCODINGS);
process.send?.(document, () => process.disconnect());
