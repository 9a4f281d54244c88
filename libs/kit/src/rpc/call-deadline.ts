/**
 * The deadline of a call on the bus (ADR 42). No wall clock of one machine is compared with that of another: the caller
 * sends how long it still waits, and the instance counts from there with its own monotonic clock.
 */
export interface SentDeadline {
  /** Milliseconds for which the caller waits from the moment of sending. Instances of version 0.2.0 do not send it. */
  remaining_ms?: number | undefined;
  /**
   * When the call was sent, by the monotonic clock of the instance that it is sent to, which its heartbeats tell
   * (`PeerClock`). So an instance knows for how long a call was on its way, for example while the instance or the
   * broker was frozen. Left out in calls to any instance.
   */
  sent_at?: number | undefined;
  /** Epoch milliseconds by the wall clock of the caller. Only instances of version 0.2.0 read it. */
  deadline: number;
}

/** The fields that are sent for a deadline of this process. All times are milliseconds. */
export const sentDeadline = (
  deadline: number,
  sent_at: number | undefined,
  now = performance.now(),
  wall = Date.now(),
): SentDeadline => {
  const remaining_ms = Math.round(deadline - now);
  const ofCaller = { remaining_ms, deadline: wall + remaining_ms };
  return sent_at === undefined ? ofCaller : { ...ofCaller, sent_at: Math.round(sent_at) };
};

/** The deadline of a received call, by the monotonic clock of this process. */
export const receivedDeadline = (
  { remaining_ms, sent_at, deadline }: SentDeadline,
  now = performance.now(),
  wall = Date.now(),
): number => {
  if (remaining_ms === undefined) return now + deadline - wall;
  return Math.min(now, sent_at ?? now) + remaining_ms;
};
