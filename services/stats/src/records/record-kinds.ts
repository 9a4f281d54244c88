import { accounts, explainedByAccounts } from './account.ts';
import { clazzes, explainedByClazzes } from './clazz.ts';
import { enrolments, explainedByEnrolments } from './enrolment.ts';
import { entries, entriesWithoutSums, explainedByEntries } from './entry.ts';
import type { Explanation } from './explanation.ts';
import { explainedByLeaves, leaves } from './leave.ts';
import { explainedByLessons, lessons } from './lesson.ts';
import { explainedByLots, lots } from './lot.ts';
import { explainedByMarks, marks } from './mark.ts';
import { explainedByMarkings, markings } from './marking.ts';
import { members } from './member.ts';
import type { Projection } from './projection.ts';
import { rollCalls } from './roll-call.ts';

interface RecordKind {
  projection: Projection;
  /** The figures that its rows explain. */
  explains?: readonly Explanation[];
}

/**
 * All kinds of records, in the order in which they are stored: lessons before their marks, entries without sums before
 * accounts. The projection, the explanations, the tests and the removal of generations use this list.
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

/** Names of the tables of all records. */
export const RECORD_TABLES: readonly string[] = [...new Set(RECORDS.map(({ projection }) => projection.table))];
