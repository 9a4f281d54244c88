import { migration } from '@teaching/kit';

/** Charges are explained by their marks: those of an organization are listed by student, as its entries are. */
export const chargesByMark = migration(
  '102_charges_by_mark',
  `
  drop index mark_student;
  create index mark_student on mark (org_id, gen, student_id, at);
`,
);
