import { Problem } from '@teaching/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestGuard } from './request-guard.ts';
import { sendProblem } from './problem-replies.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

interface Route {
  method: string;
  path: string;
}

/**
 * Answers a known path with another method: `OPTIONS` with 204, the rest with 405. Both list the methods in `Allow`
 * (RFC 9110 §9.3.7, §15.5.6). The body is not awaited.
 */
export const registerMethodNotAllowed = (app: FastifyInstance, routes: readonly Route[], guard: RequestGuard): void => {
  const byPath = new Map<string, Set<string>>();
  for (const { method, path } of routes) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const shape = url.replaceAll(/:\w+/g, ':x');
    byPath.set(shape, (byPath.get(shape) ?? new Set()).add(method));
  }
  for (const [url, known] of byPath) {
    const allow = [...known, ...(known.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      reply.header('allow', allow);
      await guard.limitPublicRequests(request);
      return request.method === 'OPTIONS'
        ? reply.code(204).send()
        : sendProblem(reply, new Problem('method_not_allowed'));
    };
    app.route({ method: METHODS.filter((method) => !known.has(method)), url, onRequest: answer, handler: answer });
  }
};
