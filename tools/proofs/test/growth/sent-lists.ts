import type { Declared } from '../catalogue.ts';

type List = Declared['lists'][number];

/** What handlers always give to a list, by what it reads from: one of each. */
const NEEDED: readonly (readonly [from: RegExp, ...needed: (readonly string[])[]])[] = [
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
/** Given wherever there is such a thing: the clock, what the rows of a figure are, whose accounts are listed and as of when. */
const ALWAYS = new Set(['clock', 'viewer', 'rows', 'id', 'range', 'due', 'day', 'listed']);

/** The sets of conditions that are given to a list: what it always has, with at most one filter beside it. */
export const combinations = ({ from, conditions }: List): string[][] => {
  const [, ...needed] = NEEDED.find(([pattern]) => pattern.test(from)) ?? [from];
  const always = needed.reduce<string[][]>(
    (sets, some) => {
      const known = some.filter((it) => conditions.includes(it));
      return known.length === 0 ? sets : sets.flatMap((set) => known.map((it) => [...set, it]));
    },
    [conditions.filter((it) => ALWAYS.has(it))],
  );
  return always.flatMap((set) => [set, ...conditions.filter((it) => !set.includes(it)).map((it) => [...set, it])]);
};
