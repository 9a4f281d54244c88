import type { LostBooking } from '../model/leave.ts';
import type { RealSchool } from './history-school.ts';

/** The lost bookings of the model, in the form in which an answer names them. */
export const lostBookingsOf = (real: RealSchool, lost: readonly LostBooking[]) =>
  lost.map(({ leave, reason }) => ({ leave_id: real.leaves[leave], reason }));
/** The bookings among the `not_restored` rows of an answer. */
export const notRestoredBookings = (rows: readonly { leave_id?: string | undefined; reason?: string | undefined }[]) =>
  rows.flatMap(({ leave_id, reason }) => (leave_id === undefined ? [] : [{ leave_id, reason }]));
