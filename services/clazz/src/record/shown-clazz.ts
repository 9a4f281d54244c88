import type { Clazz, ShownClazz } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { namesOf } from './names-of.ts';

/** A class as it is answered: with what the directory calls its teachers. Events tell ids alone. */
export const shownClazz = async <C extends Clazz>(session: Session, it: C): Promise<C & ShownClazz> => {
  const nameOf = await namesOf(session, session.org_id, [it.lead_teacher_id, ...it.assistant_ids]);
  return { ...it, lead_teacher_name: nameOf(it.lead_teacher_id), assistant_names: it.assistant_ids.map(nameOf) };
};
