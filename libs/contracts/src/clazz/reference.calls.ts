import { z } from 'zod';
import { call } from '../call.ts';
import { ID, Leaving, PersonId } from '../scalars.ts';

/** Asked by services that store ids of classes or show things to the students of a class. */
export const clazzReferenceCalls = {
  checkReferences: call({
    id: 'clazz.reference.check',
    summary: 'Which of these classes do not exist in the org',
    who: 'service',
    asked_by: ['course'],
    writes: false,
    body: z.strictObject({ clazz_ids: z.array(ID).max(1_000) }),
    output: z.object({ clazz_ids: z.array(ID), leaving: Leaving }),
  }),
  countReferences: call({
    id: 'clazz.reference.count',
    summary: 'How many classes and lots of hours name this course or package; asked before it is deleted',
    who: 'service',
    asked_by: ['course', 'package'],
    writes: true,
    body: z.union([z.strictObject({ course_id: ID }), z.strictObject({ package_id: ID })]),
    output: z.object({ clazzes: z.int(), hour_lots: z.int() }),
  }),
  getRoster: call({
    id: 'clazz.roster.get',
    summary: 'The classes a student belongs to at this moment',
    who: 'service',
    asked_by: ['course'],
    writes: false,
    body: z.strictObject({ student_id: PersonId }),
    output: z.object({ clazz_ids: z.array(ID) }),
  }),
  getChildren: call({
    id: 'clazz.guardian.children',
    summary: 'The students whose guardian somebody is at this moment',
    who: 'service',
    asked_by: ['course', 'stats'],
    writes: false,
    body: z.strictObject({ user_id: PersonId }),
    output: z.object({ children: z.array(z.object({ student_id: PersonId, money: z.boolean() })) }),
  }),
  getStudents: call({
    id: 'clazz.roster.students',
    summary: 'The students who belong to a class at this moment',
    who: 'service',
    asked_by: ['course'],
    writes: false,
    body: z.strictObject({ clazz_id: ID }),
    output: z.object({ student_ids: z.array(PersonId) }),
  }),
};
