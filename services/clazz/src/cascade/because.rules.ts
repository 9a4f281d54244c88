/** What made the cascade run. */
export type Because = 'roll call' | 'leave decided' | 'lesson changed' | 'enrolment changed';

const ASKED: readonly Because[] = ['roll call', 'leave decided'];

/**
 * Too few hours refuse what a person asks for. What follows by itself from a changed lesson or enrolment is never
 * refused: a lesson can be cancelled and a student can leave, whatever they owe then.
 */
export const isRefusable = (because: Because): boolean => ASKED.includes(because);
