import { type JihuaRow, notFound } from '@teaching/contracts';
import { type Row, type Session, statement } from '@teaching/kit';
import { JIHUA, LISTED } from './jihua.table.ts';

const LOCK = statement(`select ${LISTED.columns} from jihua where org_id = $1 and id = $2 for update`, LISTED.shape);

const forChange = <R extends JihuaRow>(session: Session, found: R | undefined): R => {
  if (found === undefined) throw notFound('Jihua');
  session.reach.requireOwner(found.teacher_id);
  session.checkVersion(found.version);
  return found;
};

/** Loads and locks one plan, without its days, for a change by whoever made it or a supervisor. */
export const lockJihua = async (session: Session, id: string): Promise<JihuaRow> =>
  forChange(session, await session.one(LOCK, session.org_id, id));

/** The same with its days, which are many. */
export const lockWholeJihua = async (session: Session, id: string): Promise<Row<typeof JIHUA>> =>
  forChange(session, await session.lock(JIHUA, id));
