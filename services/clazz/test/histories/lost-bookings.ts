import type { Lost } from '../model/leave.ts';
import type { Real } from './played-school.ts';

/** Bookings that could not be brought back, as the answer names them. */
export const lostOf = (real: Real, lost: readonly Lost[]) =>
  lost.map(({ leave, reason }) => ({ leave_id: real.leaves[leave], reason }));
export const namedBookings = (rows: readonly { leave_id?: string | undefined; reason?: string | undefined }[]) =>
  rows.flatMap(({ leave_id, reason }) => (leave_id === undefined ? [] : [{ leave_id, reason }]));
