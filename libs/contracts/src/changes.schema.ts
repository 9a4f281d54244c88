import { z } from 'zod';
import type { EventData, EventDef } from './event.ts';
import { ID, openEnum, PersonId } from './scalars.ts';

/** What may change under the eyes of somebody who looks at a page. */
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

/** That something changed, and nothing of what it says: whoever shows it asks for it again. */
export const Change = z
  .object({
    kind: openEnum(CHANGE_KINDS, 'What changed'),
    ids: z
      .array(ID)
      .meta(about('The records, where they have ids of their own; enrolments and accounts are named by their people')),
    clazz_id: ID.nullable().meta(about('The class it belongs to; `null` where it is of none, or of several')),
    user_ids: z
      .array(PersonId)
      .meta(about('Whom it is about; to students and guardians only themselves and their children')),
  })
  .meta(about('That something changed: ask for it again'));
export type Change = z.output<typeof Change>;

/** What a service says of a change, for gateways alone. */
export const Hint = Change.extend({
  /** It is offered to everybody of the organization. */
  offered: z.boolean().optional(),
});
export type Hint = z.output<typeof Hint>;

/**
 * What each event hints at; `null` where it hints at nothing. An event that is left out does not compile. A hint tells
 * whatever its reader might not read: no contents, and `ids` of one person only where it is about one.
 */
export type HintsOf<E extends Readonly<Record<string, EventDef>>> = {
  readonly [K in keyof E]: ((data: EventData<E[K]>) => Hint | readonly Hint[]) | null;
};

/** A hint; what is left out is empty. */
export const hint = (kind: ChangeKind, parts: Partial<Omit<Hint, 'kind'>>): Hint => ({
  kind,
  ids: [],
  clazz_id: null,
  user_ids: [],
  ...parts,
});

export const different = (list: readonly string[]): string[] => [...new Set(list)];
