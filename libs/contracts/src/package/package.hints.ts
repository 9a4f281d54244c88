import { hint, type Hint, type HintsOf } from '../changes.schema.ts';
import type { EventData } from '../event.ts';
import type { packageEvents } from './package.events.ts';

type Row = EventData<(typeof packageEvents)['created']>;

/** The hint of a package. It is offered to the organization if it is active and published. */
const row = ({ id, teacher_id, active, published_at }: Row): Hint =>
  hint('package', { ids: [id], user_ids: [teacher_id], offered: active && published_at !== null });

/** The hints of the events of the package service. */
export const packageHints: HintsOf<typeof packageEvents> = {
  createdWithCurrency: null,
  created: row,
  updatedWithCurrency: null,
  updated: row,
  deleted: ({ id, teacher_id }) => hint('package', { ids: [id], user_ids: [teacher_id] }),
  publishedWithCurrency: null,
  published: row,
  unpublishedWithCurrency: null,
  unpublished: row,
  itemsSynced: ({ package_id }) => hint('package', { ids: [package_id] }),
};
