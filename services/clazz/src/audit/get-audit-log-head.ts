import type { auditCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { readHead } from './read-head.ts';
import { waitUntilWritten } from './wait-until-written.ts';

/** Where the chain ends, to be kept elsewhere: with it, entries cut off the end are noticed later. */
export const getAuditLogHead: Handler<typeof auditCalls.getAuditLogHead> = async (_input, session) => {
  const { complete } = await waitUntilWritten(session);
  const { last: _newest, ...head } = await readHead(session);
  return { ...head, complete };
};
