import { Member } from '@teaching/contracts';
import { statement } from '@teaching/kit';
import { MEMBER } from '../record/member.table.ts';

/** A person as staff see them. */
export const SHOWN = MEMBER.wire(Member);

/** One of them. */
export const READ_MEMBER = statement(
  `select ${SHOWN.columns} from member where org_id = $1 and user_id = $2`,
  SHOWN.shape,
);
