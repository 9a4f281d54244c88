import { z } from 'zod';
import type { EventData, EventDef } from './event.ts';
import { ID, openEnum, PersonId } from './scalars.ts';

/** Kinds of records whose changes an open page is notified of. */
export const CHANGE_KINDS = [
  'lesson',
  'roll_call',
  'enrolment',
  'leave',
  'account',
  'clazz',
  'member',
  'room',
  'category',
  'course',
  'section',
  'group',
  'practice',
  'submission',
  'marking',
  'plan',
  'check_in',
  'package',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

const about = (description: string) => ({ description });

/** Notice of a change, without content. A client that shows the records reads them again. */
export const Change = z
  .object({
    kind: openEnum(CHANGE_KINDS, 'Kind of the changed records'),
    ids: z
      .array(ID)
      .meta(about('Ids of the changed records. Empty for enrolments and accounts, which `user_ids` identifies')),
    clazz_id: ID.nullable().meta(about('Class of the records; `null` if they belong to no class or to several')),
    user_ids: z
      .array(PersonId)
      .meta(about('People that the change is about. Students and guardians see only themselves and their children')),
  })
  .meta(about('Notice that records changed. Read them again to get the new state'));
export type Change = z.output<typeof Change>;

/** A change as a service publishes it for gateways. */
export const Hint = Change.extend({
  /** Whether the record is offered to the whole organization. */
  offered: z.boolean().optional(),
});
export type Hint = z.output<typeof Hint>;

/**
 * The hints of each event; `null` if it has none. A missing event does not compile. A hint contains no content of the
 * records, because not every receiver may read them. A hint about one person contains `ids` of that person only.
 */
export type HintsOf<E extends Readonly<Record<string, EventDef>>> = {
  readonly [K in keyof E]: ((data: EventData<E[K]>) => Hint | readonly Hint[]) | null;
};

/** A hint. Omitted parts are empty. */
export const hint = (kind: ChangeKind, parts: Partial<Omit<Hint, 'kind'>>): Hint => ({
  kind,
  ids: [],
  clazz_id: null,
  user_ids: [],
  ...parts,
});

export const different = (list: readonly string[]): string[] => [...new Set(list)];
