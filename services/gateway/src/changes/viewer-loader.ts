import { accessCalls, AUDIENCE_SIZE, Problem, type Relations } from '@teaching/contracts';
import { callService, newId, type Requester } from '@teaching/kit';
import type { Caller } from '../auth/authenticate.ts';
import type { Viewer } from './change-visibility.rules.ts';

const NONE: ReadonlySet<string> = new Set();
/** Most people have no relation of most kinds: these share one set. */
const setOf = (ids: readonly string[]): ReadonlySet<string> => (ids.length === 0 ? NONE : new Set(ids));

const viewerOf = ({ user_id, roles }: Caller, relations?: Relations): Viewer => ({
  user_id,
  roles,
  children: setOf(relations?.children ?? []),
  clazz_ids: setOf(relations?.clazz_ids ?? []),
  students: setOf(relations?.students ?? []),
});

/** Reads the relations of callers of one organization, at most `AUDIENCE_SIZE`, in their order. */
export type ReadRelations = (callers: readonly Caller[]) => Promise<readonly Relations[]>;

/** Reads relations from the class service, within `patience_ms`. */
export const relationsReader = (requester: Requester, patience_ms: number): ReadRelations => {
  const ask = (caller: Caller, callers: readonly Caller[]) => {
    const head = { caller: caller.signedCaller, request_id: newId(), deadline: performance.now() + patience_ms };
    const people = callers.map(({ user_id, roles }) => ({ user_id, roles: [...roles] }));
    return callService({ requester, head }, accessCalls.audience, callers.length > 1 ? { people } : {});
  };
  return async (callers) => {
    const [first] = callers;
    if (first === undefined) return [];
    if (callers.length === 1) return [await ask(first, callers)];
    try {
      const { people } = await ask(first, callers);
      if (people !== undefined) return people;
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'invalid_request')) throw error;
    }
    // A class service of 0.2.0 answers for the caller only.
    return Promise.all(callers.map((caller) => ask(caller, [caller])));
  };
};

interface Waiting {
  caller: Caller;
  /** Monotonic time in milliseconds after which the request fails. */
  until: number;
  resolve: (viewer: Viewer) => void;
  reject: (error: unknown) => void;
}

/**
 * Returns a function that reads the people and classes related to a caller. Requests of one organization that arrive
 * together, or while one is open, are sent together, `AUDIENCE_SIZE` at once. They fail after `patience_ms`.
 * Supervisors see everything, so nothing is read for them.
 */
export const createViewerLoader = (
  read: ReadRelations,
  patience_ms: number,
  clock: () => number = () => performance.now(),
): ((caller: Caller) => Promise<Viewer>) => {
  const queues = new Map<string, Waiting[]>();

  const answer = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const relations = await read(batch.map(({ caller }) => caller));
      for (const [at, { caller, resolve }] of batch.entries()) resolve(viewerOf(caller, relations[at]));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const run = async (org_id: string, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, AUDIENCE_SIZE);
      const now = clock();
      for (const { until, reject } of batch) if (until <= now) reject(new Problem('unavailable'));
      const open = batch.filter(({ until }) => until > now);
      if (open.length > 0) await answer(open);
    }
    queues.delete(org_id);
  };

  return (caller) => {
    if (caller.roles.includes('SUPERVISOR')) return Promise.resolve(viewerOf(caller));
    return new Promise((resolve, reject) => {
      const waiting = { caller, until: clock() + patience_ms, resolve, reject };
      const queue = queues.get(caller.org_id);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      const added = [waiting];
      queues.set(caller.org_id, added);
      setImmediate(() => void run(caller.org_id, added));
    });
  };
};
