import { type ServiceStatus, statusCalls } from '@teaching/contracts';
import { notNull, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { type Route, routes } from '../rpc/handler.ts';
import type { Session } from '../rpc/session.ts';
import { FOLLOWER_POSITION } from './follower.table.ts';
import { LOG_HEAD } from './log.table.ts';
import { logName } from './offset.ts';
import { logKindsOf } from './source-term.ts';

const HEAD = LOG_HEAD.pick('log', 'epoch', 'no', 'published_no', 'trouble');
const LOGS = statement(`select ${HEAD.columns}, trouble_since as since from log_head order by log`, {
  ...HEAD.shape,
  since: LOG_HEAD.shape.trouble_since,
});
const WAITING = statement('select count(*)::int as waiting from log_waiting', { waiting: notNull(p.integer()) });
const POSITION = FOLLOWER_POSITION.pick('follower', 'log', 'epoch', 'no', 'broken', 'trouble');
const FOLLOWERS = statement(
  `select ${POSITION.columns}, trouble_since as since, (
     select count(*)::int from dead_letter as d where d.follower = p.follower and d.log = p.log and d.replayed_at is null
   ) as dead_letters
   from follower_position as p order by follower, log`,
  { ...POSITION.shape, since: FOLLOWER_POSITION.shape.trouble_since, dead_letters: notNull(p.integer()) },
);

/** The state of the logs and followers of a service. Every instance can read it from the database. */
export const readStatus = async (service: string, on: Pick<Session, 'query'>): Promise<ServiceStatus> => {
  const [logs, waiting, followers] = await Promise.all([on.query(LOGS), on.query(WAITING), on.query(FOLLOWERS)]);
  return {
    logs: (logKindsOf(service).length === 0 ? [] : logs).map((row) => ({ ...row, log: logName(service, row.log) })),
    waiting: waiting[0]?.waiting ?? 0,
    followers,
  };
};

export const statusRoutes = (service: string): Route[] =>
  routes(statusCalls(service), { get: (_input, session) => readStatus(service, session) });
