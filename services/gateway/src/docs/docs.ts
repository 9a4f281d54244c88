import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { prepareDocument, type PreparedDocument, type SendDocument } from '../http/send-document.ts';
import { ENCODINGS } from '../negotiate/negotiation.ts';
import { API_TITLE } from './openapi.ts';

/** Paths of the scripts of the page. */
const SCRIPT_PATH = '/docs/reference.js';
const START_PATH = '/docs/start.js';

/** The API reference page. It loads nothing from other servers. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${API_TITLE}</title>
</head>
<body>
<div id="reference"></div>
<script src="${SCRIPT_PATH}"></script>
<script src="${START_PATH}"></script>
</body>
</html>
`;

/** Options of the API reference: it works offline and stores the token for the next visit. */
const REFERENCE_OPTIONS = {
  url: '/openapi.json',
  metaData: { title: API_TITLE },
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

/** Content security policy of the page: it may only use its own server, over HTTP or HTTPS. */
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

/** Documents that a process of their own makes, because they take long and much memory. */
export const DOCUMENT_NAMES = ['openapi', 'asyncapi', 'reference'] as const;
export type DocumentName = (typeof DOCUMENT_NAMES)[number];

const make = (name: DocumentName): Promise<PreparedDocument> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./make-document.ts', import.meta.url)), [name], {
      serialization: 'advanced',
      // It needs no setting of this process, and no secret.
      env: {},
      execArgv: [],
    });
    child.once('message', (made: PreparedDocument) => resolve(made)); // sent by `make-document.ts`
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The process ended without the document ${name}`)));
  });

/** Makes each document at its first request, one after the other. A failure is retried. */
const documents = () => {
  const cache = new Map<DocumentName, Promise<PreparedDocument>>();
  let latest: Promise<unknown> = Promise.resolve();
  return (name: DocumentName): Promise<PreparedDocument> => {
    const known = cache.get(name);
    if (known !== undefined) return known;
    const document = latest.then(() => make(name));
    latest = document.catch(() => cache.delete(name));
    cache.set(name, document);
    return document;
  };
};

/** Paths of the documents. They need no token. */
export const DOCUMENT_PATHS = ['/openapi.json', '/asyncapi.json', '/docs', '/docs/', SCRIPT_PATH, START_PATH];

/** Documents change only with a release; clients check again after five minutes. */
const CACHE = 'public, max-age=300';
export const JSON_TYPE = 'application/json; charset=utf-8';
export const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const PAGE_TYPE = 'text/html; charset=utf-8';

/** Registers `/openapi.json`, `/asyncapi.json` and the API reference at `/docs`. `pace` limits the rate of requests. */
export const registerDocs = (app: FastifyInstance, pace: onRequestAsyncHookHandler, send: SendDocument): void => {
  const documentOf = documents();

  const serve = (path: string, document: () => Promise<PreparedDocument>): void => {
    app.get(path, { onRequest: pace }, async (request, reply) => {
      const found = await document();
      reply.header('cache-control', CACHE);
      if (found.type === PAGE_TYPE) reply.header('content-security-policy', PAGE_POLICY);
      return send(request, reply, found);
    });
  };

  const serveText = (path: string, type: string, text: string): void => {
    const document = prepareDocument(type, Buffer.from(text), ENCODINGS);
    serve(path, () => document);
  };

  serve('/openapi.json', () => documentOf('openapi'));
  serve('/asyncapi.json', () => documentOf('asyncapi'));
  serve(SCRIPT_PATH, () => documentOf('reference'));
  serveText(START_PATH, SCRIPT_TYPE, START_SCRIPT);
  for (const path of ['/docs', '/docs/']) serveText(path, PAGE_TYPE, PAGE);
};
