import { LianxiRow, notFound } from '@teaching/contracts';
import { type Row, type Session, statement } from '@teaching/kit';
import { LIANXI } from './lianxi.table.ts';

const LISTED = LIANXI.wire(LianxiRow);
const LOCK = statement(`select ${LISTED.columns} from lianxi where org_id = $1 and id = $2 for update`, LISTED.shape);

const forChange = <R extends LianxiRow>(session: Session, found: R | undefined): R => {
  if (found === undefined) throw notFound('Lianxi');
  session.reach.requireOwner(found.teacher_id);
  session.checkVersion(found.version);
  return found;
};

/** Loads and locks one practice, without its content, for a change by whoever made it or a supervisor. */
export const lockLianxi = async (session: Session, id: string): Promise<LianxiRow> =>
  forChange(session, await session.one(LOCK, session.org_id, id));

/** The same with its content, which is large. */
export const lockWholeLianxi = async (session: Session, id: string): Promise<Row<typeof LIANXI>> =>
  forChange(session, await session.lock(LIANXI, id));
