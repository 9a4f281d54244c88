import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Who sends `Expect: 100-continue` waits before sending the body (RFC 9110 §10.1.1). Such requests are routed like all
 * others; nothing tells them to go on but `goOn`.
 */
export const registerExpectations = (app: FastifyInstance): void => {
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
};

/** Whether the caller waits to be told that the body is wanted. */
export const isWaiting = (request: FastifyRequest): boolean => request.headers.expect !== undefined;

/** Lets a waiting caller send the body. */
export const goOn = (reply: FastifyReply): void => reply.raw.writeContinue();
