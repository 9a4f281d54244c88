import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fastifyStatic } from '@fastify/static';
import type { Logger } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { prefersType } from '../negotiate/negotiation.ts';

/** The folder that `apps/console` is built into. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../apps/console/dist', import.meta.url));
const INDEX = 'index.html';

/** The pages may load and call only their own origin. Inline scripts and styles are forbidden. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Files with a content hash in their name, as the build writes them. A changed file gets another name. */
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;
const YEAR = 'public, max-age=31536000, immutable';
/** Files that the build compressed, stored next to the original. */
const COMPRESSED = /\.(br|gz)$/;
/** Paths that are never a page of the console. */
const NO_PAGE = /^\/(api|auth|docs|health|assets|openapi\.json|asyncapi\.json)(\/|$)/;

export interface ConsoleFiles {
  routes: readonly { method: 'GET'; path: string }[];
  /** True when a browser asks for a page. Every page is the same file. */
  isPage(request: FastifyRequest): boolean;
  /** Sends the file of the pages. */
  sendPage(reply: FastifyReply): FastifyReply;
}

const filesIn = (root: string): string[] => {
  try {
    const found = readdirSync(root, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
    return found.map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join('/'));
  } catch {
    return [];
  }
};

const isPage = ({ method, url, headers }: FastifyRequest): boolean => {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { accept } = headers;
  return (
    !NO_PAGE.test(url.split('?')[0] ?? '') &&
    prefersType(Array.isArray(accept) ? accept.join(',') : accept, 'text/html')
  );
};

/**
 * Serves the built console at `/`. Returns `undefined` when it is not built. `pace` delays clients that send requests
 * without pause.
 */
export const registerConsole = async (
  app: FastifyInstance,
  root: string,
  pace: onRequestAsyncHookHandler,
  log: Logger,
): Promise<ConsoleFiles | undefined> => {
  const files = filesIn(root).filter((file) => !COMPRESSED.test(file));
  if (!files.includes(INDEX)) {
    log.warn({ folder: root }, 'the console is not built and is not served');
    return undefined;
  }
  await app.register(fastifyStatic, {
    root,
    serve: false,
    preCompressed: true,
    // Responses are compressed as a whole.
    acceptRanges: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const file = relative(root, path).split(sep).join('/').replace(COMPRESSED, '');
      reply.header('content-security-policy', POLICY).header('cache-control', HASHED.test(file) ? YEAR : 'no-cache');
    },
  });
  const send = (reply: FastifyReply, file: string): FastifyReply => reply.code(200).sendFile(file);
  const paths = ['/', ...files.map((file) => `/${file}`)];
  for (const path of paths) {
    // A browser caches these files for a year, so it requests each once. A whole school may do so at the same moment.
    const onRequest = HASHED.test(path.slice(1)) ? [] : [pace];
    app.get(path, { onRequest }, (_request, reply) => send(reply, path === '/' ? INDEX : path.slice(1)));
  }
  return { routes: paths.map((path) => ({ method: 'GET', path })), isPage, sendPage: (reply) => send(reply, INDEX) };
};
