import { invalidateKinds } from './query.ts';

/** Requests again all data that leave and make-up bookings change. */
export const refreshLeave = (): void => invalidateKinds('leave', 'lesson', 'roll_call', 'account');
