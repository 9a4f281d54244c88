/** What made the cascade run. */
export type Because =
  | 'roll call'
  | 'leave decided'
  | 'lesson changed'
  | 'lesson cancelled'
  | 'enrolment dated back'
  | 'enrolment changed';

const ASKED: readonly Because[] = ['roll call', 'leave decided', 'lesson changed', 'enrolment dated back'];

/**
 * Too few hours refuse what a person asks for that makes held lessons cost more. What follows from a cancelled lesson
 * or from leaving and coming back is never refused: that can be done whatever students owe then.
 */
export const isRefusable = (because: Because): boolean => ASKED.includes(because);
