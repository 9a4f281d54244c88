import type { ListedLeave } from '@teaching/contracts';
import { hours } from '../shared/format.ts';
import { t } from './today-texts.ts';

export interface Facts {
  /** Lesson hours charged with approved leave; undefined if it is not known. */
  charge_hours: string | undefined;
  in_time: boolean;
  quota: ListedLeave['quota'];
}

/** The charge of a leave, whether it was requested in time, and the quota of the student. */
export const LeaveFacts = ({ charge_hours, quota, in_time }: Facts) => (
  <ul class="facts">
    {charge_hours !== undefined && (
      <li class={Number(charge_hours) > 0 ? 'badge warn' : 'badge'}>
        {Number(charge_hours) > 0 ? t.charges(hours(charge_hours)) : t.chargesNone}
      </li>
    )}
    {!in_time && <li class="badge warn">{t.askedLate}</li>}
    {quota !== undefined && (
      <li class={quota.limit !== null && quota.used > quota.limit ? 'badge bad' : 'badge'}>
        {quota.limit === null ? t.quotaNone(quota.used) : t.quota(quota.used, quota.limit)}
      </li>
    )}
  </ul>
);
