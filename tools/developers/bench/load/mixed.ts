import { askFigures, changeClazz, createClazz } from './figures.ts';
import { listItems, listOrg, syncItems } from './packages.ts';
import type { Step } from './script.ts';
import { turns } from './turns.ts';
import type { MixedSeed } from './work.ts';

/** How many of twenty requests are of which kind: most look, and most of them at a week or a class. */
const OF_TWENTY = {
  'my-week': 4,
  'clazz-students': 3,
  w1: 3,
  classes: 2,
  w3: 1,
  'my-lessons': 2,
  'teacher-detail': 1,
  accounts: 1,
  change: 1,
  create: 1,
  w2: 1,
} as const;
type Kind = keyof typeof OF_TWENTY;
const KINDS = Object.keys(OF_TWENTY).filter((name): name is Kind => name in OF_TWENTY);

/** In rounds: each kind once, then those again that come more often. */
const order = (): Kind[] => {
  const most = Math.max(...Object.values(OF_TWENTY));
  return Array.from({ length: most }, (_, round) => KINDS.filter((kind) => round < OF_TWENTY[kind])).flat();
};

/** Everything at once, as on a day of a school; each kind tells its own times. */
export const mixed = ({ packages, clazzes, questions }: MixedSeed): Step => {
  const steps: Record<Kind, Step> = {
    'my-week': askFigures(questions['my-week']),
    'clazz-students': askFigures(questions['clazz-students']),
    w1: listItems(packages),
    classes: askFigures(questions.classes),
    w3: listOrg(packages),
    'my-lessons': askFigures(questions['my-lessons']),
    'teacher-detail': askFigures(questions['teacher-detail']),
    accounts: askFigures(questions.accounts),
    change: changeClazz(clazzes).step,
    create: createClazz(clazzes),
    w2: syncItems(packages),
  };
  const next = turns(order());
  return async (connection, note) => {
    const kind = next();
    const since = performance.now();
    await steps[kind](connection, note);
    note(kind, performance.now() - since);
  };
};
