import { Member } from '@teaching/contracts';
import { MEMBER } from './member.table.ts';

/** A person as staff see them. */
export const SHOWN = MEMBER.wire(Member);
