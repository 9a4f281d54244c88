import { TEACHING_ROLES } from '@teaching/contracts';
import { always, instant, p } from '@teaching/kit';

/** A teacher and a student while both belong to a class, as the view `relation` shows them. */
export const RELATION = {
  clazz_id: always(p.uuid()),
  teacher_id: always(p.text()),
  student_id: always(p.text()),
  role: always(p.enum(TEACHING_ROLES)),
  since: always(instant()),
  until: instant().nullable(),
};
/** Its key in the view. */
export const KEY = { id: always(p.text()) };

export const columnsOf = (shape: object): string => Object.keys(shape).join(', ');
