import { p } from '@teaching/kit';

/** A sum of hours, which holds any history. */
export const sumOfHours = () => p.decimal();
