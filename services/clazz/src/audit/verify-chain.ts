import { type auditCalls, Problem } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { type Broken, type ChainEntry, checkChain, GENESIS, type Head } from './chain.rules.ts';
import { ENTRY_COLUMNS } from './trail.ts';
import { waitUntilWritten } from './wait-until-written.ts';

/** Where the chain ends, and how many entries there are: in one look, so that both are of one moment. */
const HEAD = statement<{ entries: number; hash: string; at: string | null; last: number }>(
  `select entries, hash, at,
     coalesce((select max(seq) from clazz_audit_log as l where l.org_id = h.org_id), 0) as last
   from audit_head as h where org_id = $1`,
);
const BREAKS = statement<{ at: string; epoch: number; no: number; on_from: number; why: string }>(
  'select at, epoch, no, on_from, why from audit_break order by id desc limit 100',
);
const PART = 2_000;
/** Longer chains are checked in several calls, each going on where the last one stopped. */
const WALK_MS = 5_000;
const ENTRIES = statement<ChainEntry>(
  `select ${ENTRY_COLUMNS} from clazz_audit_log where org_id = $1 and seq > $2 order by seq limit ${PART}`,
);

const readHead = async (session: Session) =>
  (await session.one(HEAD, session.org_id)) ?? { entries: 0, hash: GENESIS, at: null, last: 0 };

/** Where the chain ends, to be kept elsewhere: with it, entries cut off the end are noticed later. */
export const auditHead: Handler<typeof auditCalls.head> = async (_input, session) => {
  const complete = await waitUntilWritten(session);
  const { entries, hash, at } = await readHead(session);
  return { entries, hash, at, complete };
};

interface Walk {
  head: Head;
  broken?: Broken;
}

/** Checks the chain from a trusted head up to the one it had when the call began, as far as the time allows. */
const walk = async (session: Session, start: Head, goal: Head & { last: number }): Promise<Walk> => {
  const end = Date.now() + WALK_MS;
  let head = start;
  while (head.entries < goal.entries) {
    if (Date.now() > end) return { head };
    const part = await session.query(ENTRIES, session.org_id, head.entries);
    if (part.length === 0) break;
    const checked = checkChain(
      head,
      part.filter((entry) => entry.seq <= goal.entries),
    );
    if (checked.broken !== undefined) return checked;
    head = checked.head;
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
  const start = startOf(query);
  const complete = await waitUntilWritten(session);
  const [goal, breaks] = await Promise.all([readHead(session), session.query(BREAKS)]);
  const { head, broken } = await walk(session, start, goal);
  return {
    ok: broken === undefined,
    entries: goal.entries,
    head: goal.hash,
    checked: head,
    ...(broken === undefined ? {} : { first_broken: broken }),
    complete,
    breaks,
  };
};
