import type { LostBooking } from '../model/leave.ts';
import type { RealSchool } from './history-school.ts';

/** Bookings that could not be brought back, as the answer names them. */
export const lostBookingsOf = (real: RealSchool, lost: readonly LostBooking[]) =>
  lost.map(({ leave, reason }) => ({ leave_id: real.leaves[leave], reason }));
export const namedBookings = (rows: readonly { leave_id?: string | undefined; reason?: string | undefined }[]) =>
  rows.flatMap(({ leave_id, reason }) => (leave_id === undefined ? [] : [{ leave_id, reason }]));
