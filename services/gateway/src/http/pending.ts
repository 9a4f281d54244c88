import { Problem } from '@teaching/contracts';
import type { FastifyReply } from 'fastify';

const full = (): Problem => new Problem('unavailable', 'Too many requests are under way');

export interface Pending {
  count: () => number;
  /** Refuses while there is no room for anybody: before a body is read, or a token looked at. */
  checkRoom: () => void;
  /** Takes a place until the answer has left, or its caller has; refuses when there is none. */
  enter: (org_id: string, reply: FastifyReply) => void;
}

/** Counts the calls under way, of which there are at most so many, and at most half of them of one organization. */
export const createPending = (most: number): Pending => {
  const byOrg = new Map<string, number>();
  let all = 0;

  const leave = (org_id: string): void => {
    all -= 1;
    const left = (byOrg.get(org_id) ?? 1) - 1;
    if (left > 0) byOrg.set(org_id, left);
    else byOrg.delete(org_id);
  };

  return {
    count: () => all,
    checkRoom: () => {
      if (all >= most) throw full();
    },
    enter: (org_id, reply) => {
      const own = byOrg.get(org_id) ?? 0;
      if (all >= most || own >= most / 2) throw full();
      all += 1;
      byOrg.set(org_id, own + 1);
      reply.raw.once('close', () => leave(org_id));
    },
  };
};
