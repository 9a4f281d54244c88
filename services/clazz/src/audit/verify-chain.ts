import type { AuditEntry, auditCalls } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { type Broken, checkChain, GENESIS, type Head } from './chain.rules.ts';
import { ENTRY_COLUMNS } from './list-entries.ts';
import { waitUntilWritten } from './wait-until-written.ts';

const HEAD = statement<{ entries: number; hash: string; at: string | null }>(
  'select entries, hash, at from audit_head where org_id = $1',
);
const PART = 2_000;
const ENTRIES = statement<AuditEntry>(
  `select ${ENTRY_COLUMNS} from clazz_audit_log where org_id = $1 and seq > $2 order by seq limit ${PART}`,
);

const readHead = async (session: Session) =>
  (await session.one(HEAD, session.org_id)) ?? { entries: 0, hash: GENESIS, at: null };

/** Where the chain ends, to be kept elsewhere: with it, entries cut off the end are noticed later. */
export const auditHead: Handler<typeof auditCalls.head> = async (_input, session) => {
  await waitUntilWritten(session, null);
  return readHead(session);
};

/** Walks the chain up to the head it had when the call began. */
const walk = async (session: Session, goal: Head): Promise<{ head: Head; broken?: Broken }> => {
  let head: Head = { entries: 0, hash: GENESIS };
  while (head.entries < goal.entries) {
    const part = await session.query(ENTRIES, session.org_id, head.entries);
    if (part.length === 0) break;
    const checked = checkChain(
      head,
      part.filter((entry) => entry.seq <= goal.entries),
    );
    if (checked.broken !== undefined) return checked;
    head = checked.head;
  }
  if (head.entries === goal.entries && head.hash === goal.hash) return { head };
  const why = 'the chain ends before its head, or its head is another';
  return { head, broken: { seq: head.entries + 1, id: null, why } };
};

export const verifyChain: Handler<typeof auditCalls.verify> = async (_input, session) => {
  await waitUntilWritten(session, null);
  const goal = await readHead(session);
  const { broken } = await walk(session, goal);
  return {
    ok: broken === undefined,
    entries: goal.entries,
    head: goal.hash,
    ...(broken === undefined ? {} : { first_broken: broken }),
  };
};
