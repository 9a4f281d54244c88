import { Problem } from '@teaching/contracts';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from './problems.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

interface Route {
  method: string;
  path: string;
}

/**
 * A known path with another method answers 405 and says which methods there are (RFC 9110 §15.5.6).
 * `OPTIONS` is left alone where CORS answers it.
 */
export const registerOtherMethods = (app: FastifyInstance, routes: readonly Route[], withOptions: boolean): void => {
  const byPath = new Map<string, Set<string>>();
  for (const { method, path } of routes) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const shape = url.replaceAll(/:\w+/g, ':x');
    byPath.set(shape, (byPath.get(shape) ?? new Set()).add(method));
  }
  for (const [url, known] of byPath) {
    const allow = [...known, ...(known.has('GET') ? ['HEAD'] : [])].join(', ');
    app.route({
      method: METHODS.filter((method) => !known.has(method) && (withOptions || method !== 'OPTIONS')),
      url,
      handler: async (_request, reply) => sendProblem(reply.header('allow', allow), new Problem('method_not_allowed')),
    });
  }
};
