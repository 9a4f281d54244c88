import type { CourseStatus } from '@teaching/contracts';
import { type Caller, isStaff } from '@teaching/kit';

/** Staff see every course of the org, students the active ones. */
export const maySee = (caller: Caller, it: { status: CourseStatus }): boolean =>
  isStaff(caller) || it.status === 'active';
