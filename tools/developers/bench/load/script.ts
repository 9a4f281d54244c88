import { backlog, rollCall } from './roll-call.ts';
import type { Connection } from './connection.ts';
import { askFigures, changeClazz, createClazz } from './figures.ts';
import { mixed } from './mixed.ts';
import { listItems, listOrg, publishCopy, syncItems } from './packages.ts';
import { askPostgres } from './statements.ts';
import type { LessonSeed, Work } from './work.ts';

/** Notes how long something beside the whole step took. */
export type Note = (name: string, ms: number) => void;

/** What one connection does again and again. */
export type Step = (connection: Connection, note: Note) => Promise<void>;

export interface Script {
  step: Step;
  /** Returns when the statistics contain the last write. */
  follow?: (connection: Connection) => Promise<void>;
  /** For steps that use something up: brings more of it, and tells how much is left. */
  feed?: (lessons: readonly LessonSeed[]) => void;
  left?: () => number;
  /** For steps that are looked for elsewhere: when each was answered since last asked. */
  answered?: () => Record<string, number>;
}

const packageScript = { w1: listItems, w2: syncItems, w3: listOrg, publish: publishCopy };

export const scriptFor = (work: Work): Script => {
  switch (work.name) {
    case 'w1':
    case 'w2':
    case 'w3':
    case 'publish':
      return { step: packageScript[work.name](work.seed) };
    case 'roll-call':
      return rollCall(work.seed);
    case 'backlog':
      return backlog(work.seed);
    case 'my-lessons':
    case 'teacher-detail':
    case 'timetable':
    case 'my-week':
    case 'clazz-students':
    case 'classes':
    case 'accounts':
      return { step: askFigures(work.seed) };
    case 'statements':
      return askPostgres(work.seed);
    case 'lag':
      return changeClazz(work.seed);
    case 'create':
      return { step: createClazz(work.seed) };
    case 'mixed':
      return { step: mixed(work.seed) };
  }
};
