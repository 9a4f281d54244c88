import { accessCalls } from '@teaching/contracts';
import { callService, newId, type Requester } from '@teaching/kit';
import type { Caller } from '../auth/authenticate.ts';
import type { Viewer } from './visible.rules.ts';

const NOBODY: ReadonlySet<string> = new Set();

/** Asks the class service, as the caller, whom and what they have to do with; for supervisors that decides nothing. */
export const viewerOf = async (
  requester: Requester,
  { user_id, roles, sealed }: Caller,
  patience_ms: number,
): Promise<Viewer> => {
  if (roles.includes('SUPERVISOR')) return { user_id, roles, children: NOBODY, clazz_ids: NOBODY, students: NOBODY };
  const head = { caller: sealed, request_id: newId(), deadline: Date.now() + patience_ms };
  const { children, clazz_ids, students } = await callService({ requester, head }, accessCalls.audience, undefined);
  return {
    user_id,
    roles,
    children: new Set(children),
    clazz_ids: new Set(clazz_ids),
    students: new Set(students),
  };
};
