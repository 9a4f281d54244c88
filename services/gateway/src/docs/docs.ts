import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { type Encoding, encodingFor, hasMatchingEtag } from '../negotiate/negotiation.ts';
import { SYSTEM } from './openapi.ts';

/** Where the page's own files are. */
const SCRIPT_PATH = '/docs/reference.js';
const START_PATH = '/docs/start.js';

/** The page to read and try the API. Everything it needs comes from here. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SYSTEM}</title>
</head>
<body>
<div id="reference"></div>
<script src="${SCRIPT_PATH}"></script>
<script src="${START_PATH}"></script>
</body>
</html>
`;

/** How the reference is shown: offline, with a field for the token that is kept for the next visit. */
const REFERENCE_OPTIONS = {
  url: '/openapi.json',
  metaData: { title: SYSTEM },
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: true,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
};

const START_SCRIPT = `Scalar.createApiReference('#reference', ${JSON.stringify(REFERENCE_OPTIONS)});\n`;

/** What the page may load and ask: only from where it came, over whatever scheme that was. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What takes a while to make. */
export type DocumentName = 'openapi' | 'asyncapi' | 'reference';

/** A document in every form that a caller may want. */
export interface Document {
  etag: string;
  plain: Uint8Array;
  encoded: Readonly<Record<Encoding, Uint8Array>>;
}

const make = (name: DocumentName): Promise<Document> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./make-document.ts', import.meta.url), { workerData: name });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`${name} was not made`)));
  });

/** Makes each document when it is first asked for, in a thread of its own: calls are not kept waiting. */
const documents = () => {
  const made = new Map<DocumentName, Promise<Document>>();
  return (name: DocumentName): Promise<Document> => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    known.catch(() => made.delete(name));
    return known;
  };
};

export const DOCUMENT_PATHS = ['/openapi.json', '/asyncapi.json', '/docs', '/docs/', SCRIPT_PATH, START_PATH];

/** Documents change with a release only, and are looked for again after some minutes. */
const CACHE = 'public, max-age=300';
const JSON_TYPE = 'application/json; charset=utf-8';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

const listed = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

/** Says what the caller may keep; whether what they have is current, so that nothing else is sent. */
const isKept = (request: FastifyRequest, reply: FastifyReply, type: string, etag: string): boolean => {
  reply.headers({ etag, 'cache-control': CACHE });
  if (hasMatchingEtag(request.headers['if-none-match'], etag)) {
    reply.code(304);
    return true;
  }
  reply.header('content-type', type);
  return false;
};

const etagOf = (text: string): string => `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** `/openapi.json`, `/asyncapi.json` and a page to read and try the API at `/docs`. `pace` lets those wait who ask all the time. */
export const registerDocs = (app: FastifyInstance, pace: onRequestAsyncHookHandler): void => {
  const documentOf = documents();

  const serve = (path: string, name: DocumentName, type: string): void => {
    app.get(path, { onRequest: pace }, async (request, reply) => {
      const { etag, plain, encoded } = await documentOf(name);
      reply.header('vary', 'Accept-Encoding');
      if (isKept(request, reply, type, etag)) return reply.send();
      const encoding = encodingFor(listed(request.headers['accept-encoding']));
      reply.header('content-encoding', encoding ?? 'identity');
      return reply.send(Buffer.from(encoding === undefined ? plain : encoded[encoding]));
    });
  };

  const serveText = (path: string, type: string, text: string): void => {
    const etag = etagOf(text);
    app.get(path, { onRequest: pace }, async (request, reply) => {
      if (type.startsWith('text/html')) reply.header('content-security-policy', PAGE_POLICY);
      return isKept(request, reply, type, etag) ? reply.send() : reply.send(text);
    });
  };

  serve('/openapi.json', 'openapi', JSON_TYPE);
  serve('/asyncapi.json', 'asyncapi', JSON_TYPE);
  serve(SCRIPT_PATH, 'reference', SCRIPT_TYPE);
  serveText(START_PATH, SCRIPT_TYPE, START_SCRIPT);
  for (const path of ['/docs', '/docs/']) serveText(path, 'text/html; charset=utf-8', PAGE);
};
