import { Problem, unknownIds } from '@teaching/contracts';
import { always, nothing, p, type Session, statement } from '@teaching/kit';

/** Moves within one org's tree take turns: two that are harmless one by one may close a cycle together. */
const TAKE_TURN = statement("select own_turn($1, 'course_category')", { own_turn: nothing() });
/** The category and everything above it. */
const PATH = statement(
  `with recursive up as (
     select id, parent_id from course_category where org_id = $1 and id = $2
     union
     select c.id, c.parent_id from up join course_category c on c.org_id = $1 and c.id = up.parent_id
   ) select id from up`,
  { id: always(p.uuid()) },
);

export const unknownParent = () => unknownIds([{ path: '/body/parent_id', message: 'does not exist' }]);

/** Refuses a parent that does not exist or that lies below the moved category. */
export const checkMove = async (session: Session, id: string, parent_id: string): Promise<void> => {
  session.run(TAKE_TURN, session.org_id);
  const path = await session.query(PATH, session.org_id, parent_id);
  if (path.length === 0) throw unknownParent();
  if (path.some((above) => above.id === id)) throw new Problem('cycle', 'A category cannot lie below itself');
};
