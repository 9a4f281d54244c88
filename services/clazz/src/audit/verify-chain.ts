import { type auditCalls, AuditEntry, Problem } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { AUDIT_BREAK } from './audit-break.table.ts';
import { AUDIT_LOG } from './audit-log.table.ts';
import { type Broken, checkChain, GENESIS, type Head } from './chain.rules.ts';
import { asItIsNow, readAnchor, readBeside } from './former-chain.ts';
import { readHead } from './read-head.ts';
import { waitUntilWritten } from './wait-until-written.ts';

const BREAK = AUDIT_BREAK.without('id');
const BREAKS = statement(`select ${BREAK.columns} from audit_break order by id desc limit 100`, BREAK.shape);
/** Reading and hashing so many keeps others waiting for a millisecond or two. */
const PART = 50;
/** Longer chains are checked in several calls, each going on where the last one stopped. */
const WALK_MS = 5_000;
/** The answer has to come before the caller goes. */
const ANSWER_MS = 1_000;
/** What the hash covers, as the contract says. */
const ENTRY = AUDIT_LOG.wire(AuditEntry);
const ENTRIES = statement(
  `select ${ENTRY.columns} from clazz_audit_log where org_id = $1 and seq > $2 order by seq limit ${PART}`,
  ENTRY.shape,
);

interface Walk {
  head: Head;
  broken?: Broken;
}

/** Checks the next entries after a head; answers undefined when there are none. */
const checkPart = async (session: Session, head: Head, goal: Head): Promise<Walk | undefined> => {
  await session.takeWideTurn();
  const part = await session.query(ENTRIES, session.org_id, head.entries);
  if (part.length === 0) return undefined;
  const entries = part.filter((entry) => entry.seq <= goal.entries);
  return checkChain(head, entries, await readBeside(session, entries));
};

/** Checks the chain from a trusted head up to the one it had when the call began: a part, and more while there is time. */
const walk = async (session: Session, start: Head, goal: Head & { last: number }): Promise<Walk> => {
  const end = Math.min(Date.now() + WALK_MS, session.deadline - ANSWER_MS);
  let head = start;
  while (head.entries < goal.entries) {
    const checked = await checkPart(session, head, goal);
    if (checked === undefined) break;
    if (checked.broken !== undefined) return checked;
    head = checked.head;
    if (head.entries < goal.entries && Date.now() > end) return { head };
  }
  const ends = head.entries === goal.entries && head.hash === goal.hash && goal.last <= goal.entries;
  if (ends) return { head };
  const why = 'the chain does not end in its head';
  return { head, broken: { seq: head.entries + 1, id: null, why } };
};

/** The head to begin at: one that was kept elsewhere, or the start of the chain. */
const startOf = ({ entries, hash }: { entries?: number | undefined; hash?: string | undefined }): Head => {
  if ((entries === undefined) === (hash === undefined)) return { entries: entries ?? 0, hash: hash ?? GENESIS };
  const path = entries === undefined ? '/query/entries' : '/query/hash';
  throw new Problem('invalid_request', { errors: [{ path, message: 'belongs to the other half of a head' }] });
};

export const verifyChain: Handler<typeof auditCalls.verify> = async ({ query }, session) => {
  const kept = startOf(query);
  const written = await waitUntilWritten(session);
  const [goal, breaks, { reanchored, brokenBefore }, start] = await Promise.all([
    readHead(session),
    session.query(BREAKS),
    readAnchor(session),
    asItIsNow(session, kept),
  ]);
  const wasBroken = brokenBefore !== undefined && brokenBefore.seq > start.entries;
  const { head, broken } = wasBroken ? { head: start, broken: brokenBefore } : await walk(session, start, goal);
  const isWhole = head.entries === goal.entries;
  return {
    ok: broken !== undefined ? false : isWhole || null,
    entries: goal.entries,
    head: goal.hash,
    checked: head,
    ...(broken === undefined ? {} : { first_broken: broken }),
    ...written,
    ...(reanchored === undefined ? {} : { reanchored }),
    breaks,
  };
};
