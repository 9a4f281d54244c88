import type { CourseStatus } from '@teaching/contracts';

/** What is offered to students: staff see every course of the org. */
export const isOffered = (it: { status: CourseStatus }): boolean => it.status === 'active';
