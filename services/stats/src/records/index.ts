import { explainedByAccounts } from './account/explain.ts';
import { accounts } from './account/project.ts';
import { explainedByClazzes } from './clazz/explain.ts';
import { clazzes } from './clazz/project.ts';
import { explainedByEnrolments } from './enrolment/explain.ts';
import { enrolments } from './enrolment/project.ts';
import { explainedByEntries } from './entry/explain.ts';
import { entriesWithoutSums } from './entry/project-without-sums.ts';
import { entries } from './entry/project.ts';
import type { Explained } from './explained.ts';
import { explainedByLeaves } from './leave/explain.ts';
import { leaves } from './leave/project.ts';
import { explainedByLessons } from './lesson/explain.ts';
import { lessons } from './lesson/project.ts';
import { explainedByLots } from './lot/explain.ts';
import { lots } from './lot/project.ts';
import { explainedByMarks } from './mark/explain.ts';
import { marks } from './mark/project.ts';
import { explainedByMarkings } from './marking/explain.ts';
import { markings } from './marking/project.ts';
import { members } from './member/project.ts';
import type { Projection } from './projection.ts';
import { rollCalls } from './roll-call/project.ts';

interface RecordKind {
  projection: Projection;
  /** The figures that its rows explain. */
  explains?: readonly Explained[];
}

/**
 * Every kind of record, in the order they are stored: lessons before their marks, entries without sums before accounts.
 * What is stored, explained, compared in tests and removed with its generation follows from this list.
 */
export const RECORDS: readonly RecordKind[] = [
  { projection: lessons, explains: explainedByLessons },
  { projection: enrolments, explains: explainedByEnrolments },
  { projection: marks, explains: explainedByMarks },
  { projection: rollCalls },
  { projection: clazzes, explains: explainedByClazzes },
  { projection: members },
  { projection: leaves, explains: explainedByLeaves },
  { projection: entriesWithoutSums },
  { projection: entries, explains: explainedByEntries },
  { projection: accounts, explains: explainedByAccounts },
  { projection: lots, explains: explainedByLots },
  { projection: markings, explains: explainedByMarkings },
];

/** The tables of all records. */
export const RECORD_TABLES: readonly string[] = [...new Set(RECORDS.map(({ projection }) => projection.table))];
