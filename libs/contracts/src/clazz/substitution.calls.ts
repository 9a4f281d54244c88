import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { page, pageQuery } from '../page.ts';
import { ID, InstantInput, optional, PersonId, PersonIdInput, PersonName, STAFF } from '../scalars.ts';
import { nonEmptyRange, rule } from '../rules.ts';
import { ShownLesson } from './clazz.schema.ts';

const BASE = '/api/v1/clazz';

/** A teacher who can give a lesson in place of its teacher. */
export const SubstituteOption = z.object({
  teacher_id: PersonId,
  teacher_name: PersonName,
  same_course: z.boolean().meta({ description: 'Whether the teacher teaches the course or the class of the lesson' }),
});

/** Maximum number of lessons that one call changes. */
export const MAX_SUBSTITUTED_LESSONS = 500;

/** Substitution of teachers who are absent. */
export const substitutionCalls = {
  listSubstituteOptions: call({
    id: 'clazz.substitution.options',
    http: `GET ${BASE}/lesson/{lesson_id}/substitute/options`,
    summary: 'List teachers who can substitute in a lesson. They are free at its time; those of its course come first',
    roles: STAFF,
    access: 'all',
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
      'Substitute a teacher in a time range. One teacher gives all lessons, or the best free teacher gives each lesson',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 200,
    max_body: LARGEST_BODY,
    body: z
      .strictObject({
        teacher_id: PersonIdInput.meta({ description: 'The absent teacher' }),
        from: InstantInput.meta({ description: 'Start of the range: lessons that end after this instant' }),
        to: InstantInput.meta({
          description: `End of the range: lessons that start before this instant. At most ${MAX_SUBSTITUTED_LESSONS} lessons`,
        }),
        with: optional(PersonIdInput).meta({
          description: 'The teacher who gives all lessons, or 409. Omitted: each lesson gets its best free teacher',
        }),
        clazz_ids: optional(z.array(ID).max(500)).meta({
          description: 'Only lessons of these classes, at most 500. Default: all classes',
        }),
        preview: optional(z.boolean()).meta({
          description: '`true`: changes nothing; `items` are the lessons as they would be. Default false',
        }),
      })
      .check(
        nonEmptyRange,
        rule(['teacher_id', 'with'], (body) => body.with !== body.teacher_id, {
          path: 'with',
          message: 'must be another teacher than teacher_id',
        }),
      ),
    output: z.object({
      items: z.array(ShownLesson).meta({ description: 'Lessons with their new teachers, by start' }),
      unassigned: z.array(ShownLesson).meta({ description: 'Lessons without a free teacher. They are not changed' }),
    }),
    errors: ['schedule_conflict'],
  }),
};
