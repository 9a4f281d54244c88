import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { page, pageQuery } from '../page.ts';
import { ID, InstantInput, optional, PersonId, PersonName, STAFF } from '../scalars.ts';
import { ShownLesson } from './clazz.schema.ts';

const BASE = '/api/v1/clazz';

/** Somebody who could give a lesson in place of its teacher. */
export const SubstituteOption = z.object({
  teacher_id: PersonId,
  teacher_name: PersonName,
  same_course: z.boolean().meta({ description: 'Teaches the course of the lesson, or its class' }),
});

/** So many lessons change their teacher by one call. */
export const MAX_SUBSTITUTED = 500;

/** Lessons in place of somebody who cannot come. */
export const substitutionCalls = {
  listSubstituteOptions: call({
    id: 'clazz.substitution.options',
    http: `GET ${BASE}/lesson/{lesson_id}/substitute/options`,
    summary: 'Teachers of the org who are free at the time of a lesson; those who teach its course first',
    who: STAFF,
    whose: 'all',
    writes: false,
    audited: true,
    path: { lesson_id: ID },
    query: pageQuery,
    output: page(SubstituteOption),
  }),
  substituteTeacher: call({
    id: 'clazz.substitution.create',
    http: `POST ${BASE}/substitution`,
    summary:
      'Give what is scheduled for a teacher in a range to another one, all of it or nothing; or each lesson to its best option',
    who: ['SUPERVISOR'],
    writes: true,
    status: 200,
    max_body: LARGEST_BODY,
    body: z
      .strictObject({
        teacher_id: PersonId.meta({ description: 'Who cannot come' }),
        from: InstantInput.meta({ description: 'Lessons that end after this' }),
        to: InstantInput.meta({ description: `Lessons that start before this; at most ${MAX_SUBSTITUTED} lessons` }),
        with: optional(PersonId).meta({
          description: 'Who gives all of them; without, each goes to its best option that is free',
        }),
        clazz_ids: optional(z.array(ID).max(500)).meta({ description: 'Of these classes only' }),
        preview: optional(z.boolean()).meta({ description: 'Changes nothing: `items` are as they would be' }),
      })
      .refine((body) => body.from < body.to, { path: ['to'], message: 'must be after from' })
      .refine((body) => body.with !== body.teacher_id, { path: ['with'], message: 'is the teacher who cannot come' }),
    output: z.object({
      items: z.array(ShownLesson).meta({ description: 'Lessons with their new teachers, by start' }),
      unassigned: z.array(ShownLesson).meta({ description: 'Lessons that nobody is free for; they stay as they are' }),
    }),
    errors: ['schedule_conflict'],
  }),
};
