import { type memberCalls, Problem } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { lockMember } from './lock-member.ts';
import { memberPatched, nameProblems, roleProblems } from './member.rules.ts';
import { saveMember } from './save-member.ts';

export const updateMember: Handler<typeof memberCalls.updateMember> = async ({ path, body }, session) => {
  const before = await lockMember(session, path.user_id);
  const role = body.role ?? before.role;
  const errors = [...nameProblems(body, '/body'), ...roleProblems(role, body.roles, '/body/roles')];
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
  return saveMember(session, before, { ...before, ...memberPatched(before, body) });
};
