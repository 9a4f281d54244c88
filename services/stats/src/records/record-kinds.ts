import { accounts, accountExplanations } from './account.ts';
import { clazzes, clazzExplanations } from './clazz.ts';
import { enrolments, enrolmentExplanations } from './enrolment.ts';
import { entries, entriesWithoutSums, entryExplanations } from './entry.ts';
import type { Explanation } from './explanation.ts';
import { leaveExplanations, leaves } from './leave.ts';
import { lessonExplanations, lessons } from './lesson.ts';
import { lotExplanations, lots } from './lot.ts';
import { markExplanations, marks } from './mark.ts';
import { markingExplanations, markings } from './marking.ts';
import { members } from './member.ts';
import type { Projection } from './projection.ts';
import { rollCalls } from './roll-call.ts';

interface RecordKind {
  projection: Projection;
  /** The figures that its rows explain. */
  explanations?: readonly Explanation[];
}

/**
 * All kinds of records, in the order in which they are stored: lessons before their marks, entries without sums before
 * accounts. The projection, the explanations, the tests and the removal of generations use this list.
 */
export const RECORD_KINDS: readonly RecordKind[] = [
  { projection: lessons, explanations: lessonExplanations },
  { projection: enrolments, explanations: enrolmentExplanations },
  { projection: marks, explanations: markExplanations },
  { projection: rollCalls },
  { projection: clazzes, explanations: clazzExplanations },
  { projection: members },
  { projection: leaves, explanations: leaveExplanations },
  { projection: entriesWithoutSums },
  { projection: entries, explanations: entryExplanations },
  { projection: accounts, explanations: accountExplanations },
  { projection: lots, explanations: lotExplanations },
  { projection: markings, explanations: markingExplanations },
];

/** Names of the tables of all records. */
export const RECORD_TABLES: readonly string[] = [...new Set(RECORD_KINDS.map(({ projection }) => projection.table))];
