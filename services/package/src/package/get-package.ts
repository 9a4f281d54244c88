import type { packageCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireSeen } from './load-package.ts';
import { PACKAGE } from './package.table.ts';

export const getPackage: Handler<typeof packageCalls.getPackage> = async ({ path }, session) =>
  requireSeen(session, await session.find(PACKAGE, path.id));
