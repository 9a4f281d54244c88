import { z } from 'zod';
import { call } from '../call.ts';
import { ID, Leaving, PersonId } from '../scalars.ts';

/** For services that store ids of classes, or show records to the students of a class. */
export const clazzReferenceCalls = {
  checkReferences: call({
    id: 'clazz.reference.check',
    summary: 'Find the classes of a list that do not exist in the organization',
    who: 'service',
    asked_by: ['course'],
    writes: false,
    body: z.strictObject({ clazz_ids: z.array(ID).max(1_000) }),
    output: z.object({ clazz_ids: z.array(ID), leaving: Leaving }),
  }),
  countReferences: call({
    id: 'clazz.reference.count',
    summary: 'Count the classes and lots that refer to a course or package, before it is deleted',
    who: 'service',
    asked_by: ['course', 'package'],
    writes: true,
    body: z.union([z.strictObject({ course_id: ID }), z.strictObject({ package_id: ID })]),
    output: z.object({ clazzes: z.int(), hour_lots: z.int() }),
  }),
  getRoster: call({
    id: 'clazz.roster.get',
    summary: 'List the classes to which a student belongs now',
    who: 'service',
    asked_by: ['course'],
    writes: false,
    body: z.strictObject({ student_id: PersonId }),
    output: z.object({ clazz_ids: z.array(ID) }),
  }),
  getChildren: call({
    id: 'clazz.guardian.children',
    summary: 'List the students whose guardian a person is now',
    who: 'service',
    asked_by: ['course', 'stats'],
    writes: false,
    body: z.strictObject({ user_id: PersonId }),
    output: z.object({ children: z.array(z.object({ student_id: PersonId, money: z.boolean() })) }),
  }),
  getStudents: call({
    id: 'clazz.roster.students',
    summary: 'List the students who belong to a class now',
    who: 'service',
    asked_by: ['course'],
    writes: false,
    body: z.strictObject({ clazz_id: ID }),
    output: z.object({ student_ids: z.array(PersonId) }),
  }),
};
