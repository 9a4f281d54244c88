import type { Declarations } from '../catalogue.ts';

type List = Declarations['lists'][number];

/** Conditions that handlers always set on a list, by its from clause: one of each group. */
const REQUIRED: readonly (readonly [from: RegExp, ...required: (readonly string[])[]])[] = [
  [/^lesson$/, ['clazz_id', 'own']],
  [/^lesson l join clazz/, ['missing']],
  [/^enrolment e$/, ['clazz_id']],
  [/^relation$/, ['teacher_id', 'student_id'], ['lasting', 'at']],
  [/^hour_entry as e$/, ['student_id']],
  [/^mark_revision$/, ['lesson_id']],
  [/^course_package_version$/, ['package_id']],
  [/^course_section$/, ['course_id']],
  [/^lianxi l$/, ['own'], ['student_id', 'extension']],
  [/^submission s/, ['lianxi_id', 'own', 'unmarked']],
];
/** Conditions that are always set where a list has them, for example the clock or the accounts to list. */
const ALWAYS = new Set(['clock', 'viewer', 'rows', 'id', 'range', 'due', 'day', 'listed']);

/** The sets of conditions with which a list is executed: the required ones, with at most one filter. */
export const filterCombinations = ({ from, conditions }: List): string[][] => {
  const [, ...required] = REQUIRED.find(([pattern]) => pattern.test(from)) ?? [from];
  const always = required.reduce<string[][]>(
    (sets, some) => {
      const known = some.filter((name) => conditions.includes(name));
      return known.length === 0 ? sets : sets.flatMap((set) => known.map((name) => [...set, name]));
    },
    [conditions.filter((name) => ALWAYS.has(name))],
  );
  return always.flatMap((set) => [
    set,
    ...conditions.filter((name) => !set.includes(name)).map((name) => [...set, name]),
  ]);
};
