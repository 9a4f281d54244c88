import { expect, it } from 'vitest';
import { listingProblems } from './named-members.rules.ts';

it('reports each person who is unknown, inactive or without the role, with the path', () => {
  const path = (n: number) => `/body/student_ids/${n}`;
  const named = ['ann', 'bob', 'cleo', 'dan'].map((user_id, n) => ({
    user_id,
    role: 'STUDENT' as const,
    path: path(n),
  }));
  const members = [
    { user_id: 'ann', roles: ['TEACHER', 'STUDENT'] as const, status: 'active' as const },
    { user_id: 'bob', roles: ['STUDENT'] as const, status: 'inactive' as const },
    { user_id: 'cleo', roles: ['TEACHER'] as const, status: 'active' as const },
  ].map((it) => ({ ...it, roles: [...it.roles] }));
  expect(listingProblems(named, members)).toEqual(
    [1, 2, 3].map((n) => ({ path: path(n), message: 'is no active student of the directory' })),
  );
});
