import type { auditCalls } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { AUDIT_BREAK } from './audit.tables.ts';
import { GENESIS, type ChainHead } from './chain.rules.ts';
import { toCurrentHead, type ChainEnd, readAnchor, readHead, type ChainWalk, walkChain } from './read-chain.ts';
import { waitForAuditEntries } from './audit-progress.ts';

/** The head of the chain. A caller stores it elsewhere, and can later detect entries cut off the end. */
export const getAuditLogHead: Handler<typeof auditCalls.getAuditLogHead> = async (_input, session) => {
  const { complete } = await waitForAuditEntries(session);
  const { last: _newest, ...head } = await readHead(session);
  return { ...head, complete };
};

const BREAK = AUDIT_BREAK.omit('id');
const BREAKS = statement(`select ${BREAK.columns} from audit_break order by id desc limit 100`, BREAK.shape);
/** Entries read and hashed at a time. Other requests wait 1 to 2 ms for it. */
const PART = 50;
/**
 * The most time for one call, in ms. A longer chain is verified in several calls, each from the end of the previous
 * one.
 */
const WALK_MS = 5_000;
/** Time reserved for the answer before the deadline of the call, in ms. */
const ANSWER_MS = 1_000;

/**
 * Verifies the chain from a trusted head up to the end that it had when the call began: at least one part, then more
 * while there is time.
 */
const walk = async (session: Session, start: ChainHead, goal: ChainEnd): Promise<ChainWalk> => {
  const end = Math.min(performance.now() + WALK_MS, session.deadline - ANSWER_MS);
  let { head, broken }: ChainWalk = { head: start };
  do {
    await session.takeHeavySlot();
    ({ head, broken } = await walkChain(session, head, goal, PART));
  } while (broken === undefined && head.entries < goal.entries && performance.now() <= end);
  return broken === undefined ? { head } : { head, broken };
};

export const verifyAuditLog: Handler<typeof auditCalls.verifyAuditLog> = async ({ query }, session) => {
  // An exported head, or the start of the chain.
  const exported: ChainHead = { entries: query.entries ?? 0, hash: query.hash ?? GENESIS };
  const written = await waitForAuditEntries(session);
  const [goal, breaks, { reanchored, brokenBefore }, start] = await Promise.all([
    readHead(session),
    session.query(BREAKS),
    readAnchor(session),
    toCurrentHead(session, exported),
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
