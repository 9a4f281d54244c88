import { type clazzCalls, notFound } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { NAMES } from '../record/clazz.table.ts';
import { readClazz } from '../record/load-clazz.ts';

const NAMED = statement(`select ${NAMES.columns} from clazz where org_id = $1 and id = $2`, NAMES.shape);

export const getClazz: Handler<typeof clazzCalls.get> = async ({ path }, session) => {
  const [found, named] = await Promise.all([readClazz(session, path.id), session.one(NAMED, session.org_id, path.id)]);
  if (named === undefined) throw notFound('Class');
  auditRead(session, 'clazz', [path.id]);
  return { ...found, ...named };
};
