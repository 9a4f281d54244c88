import { type Logger, record, traceId } from '@teaching/kit';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/authenticate.ts';
import type { RefusalReport } from './refusal-report.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, once the token was looked at. */
    identity: Caller | null;
    /** Why it is refused, where its status does not say it; empty else. */
    refusal: string;
  }
}

/** Of answers that say who is refused, by status; where nothing more is known. */
const REASONS: Readonly<Record<number, string>> = {
  401: 'no_token',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/**
 * Counts by reason who was refused for who they are (401, 403, and 404 of a record that may be somebody else's), and says
 * it in the log: from where, who, and which route; never a token, a path as it came, or a body. Those of an org are reported
 * for its supervisors.
 */
export const registerRefusals = (app: FastifyInstance, log: Logger, report: RefusalReport): void => {
  app.decorateRequest('identity', null);
  app.decorateRequest('refusal', '');
  app.addHook('onResponse', (request, reply, done) => {
    const { identity, refusal } = request;
    const byStatus = REASONS[reply.statusCode];
    if (byStatus !== undefined) {
      const reason = refusal || byStatus;
      record.refused(reason);
      log.info(
        {
          request_id: request.id,
          trace_id: request.trace_id || traceId(request.id),
          reason,
          address: request.ip,
          org_id: identity?.org_id,
          user_id: identity?.user_id,
          method: request.method,
          route: request.routeOptions.url,
          status: reply.statusCode,
        },
        'refused',
      );
      if (identity !== null) {
        const { org_id, user_id } = identity;
        const { method, ip: address, routeOptions } = request;
        report.add({
          org_id,
          user_id,
          method,
          route: routeOptions.url ?? null,
          status: reply.statusCode,
          reason,
          address,
        });
      }
    }
    done();
  });
};
