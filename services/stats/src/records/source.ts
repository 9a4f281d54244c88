import type { SourceRow } from '@teaching/contracts';
import { notNull, type Column, instant, p, type RowOf, type Shape } from '@teaching/kit';
import { nameOfClazz, nameOfPerson, timeOfLesson } from '../figures/sql-fragments.ts';

/** What a source does not have is null. */
const NOTHING = {
  source: notNull(p.text().$type<SourceRow['source']>()),
  id: notNull(p.text()),
  counts: notNull(p.integer().$type<number | string>()),
  at: notNull(instant()),
  clazz_id: p.text().nullable(),
  clazz_name: p.text().nullable(),
  lesson_id: p.text().nullable(),
  lesson_starts_at: instant().nullable(),
  lesson_ends_at: instant().nullable(),
  student_id: p.text().nullable(),
  student_name: p.text().nullable(),
  teacher_id: p.text().nullable(),
  teacher_name: p.text().nullable(),
  state: p.text().nullable(),
  by: p.text().nullable(),
  by_name: p.text().nullable(),
  done_at: instant().nullable(),
  revision: p.integer().nullable(),
};
const NULLS: Readonly<Record<string, string>> = {
  counts: '1',
  lesson_starts_at: 'null::timestamptz',
  lesson_ends_at: 'null::timestamptz',
  done_at: 'null::timestamptz',
  revision: 'null::int',
};

type Row = RowOf<typeof NOTHING>;
/** Columns of the answer: their SQL, and what it gives. */
export type Selected = {
  readonly [K in keyof Row]?: readonly [sql: string, column: Column<NonNullable<Row[K]>>];
};

/** Columns of a table as they are, under its alias. */
export const columnsOf =
  <S extends Shape>(alias: string, { shape }: { shape: S }) =>
  <N extends keyof S & string>(name: N): readonly [sql: string, column: S[N]] => [`${alias}.${name}`, shape[name]];

/** The rows that explain a figure: what to select from, what each counts, and under which conditions. */
export interface Source {
  from: string;
  select: Selected;
  where: readonly string[];
  /** The alias with `org_id` and `gen`. */
  org: string;
  /** The instant that the range is compared with; none when it stands for the present, where `clock.now` is known. */
  at?: string;
  /** The order, which an index has where there may be many. */
  sort: { by: string; type: string; id: string; idType: 'text' | 'uuid' };
  /** Columns with the subject's id and with the class, for filters. */
  subject?: string;
  clazz?: string;
}

/** With the names that the directory knows, and when the lesson is. */
const named = ({ select, org }: Pick<Source, 'select' | 'org'>): Selected => {
  const of = { org_id: `${org}.org_id`, gen: `${org}.gen` };
  const { clazz_id, lesson_id, student_id, teacher_id, by } = select;
  return {
    ...select,
    ...(clazz_id && { clazz_name: [nameOfClazz(clazz_id[0], of), NOTHING.clazz_name] }),
    ...(lesson_id && {
      lesson_starts_at: [timeOfLesson('starts_at', lesson_id[0], of), NOTHING.lesson_starts_at],
      lesson_ends_at: [timeOfLesson('ends_at', lesson_id[0], of), NOTHING.lesson_ends_at],
    }),
    ...(student_id && { student_name: [nameOfPerson(student_id[0], of), NOTHING.student_name] }),
    ...(teacher_id && { teacher_name: [nameOfPerson(teacher_id[0], of), NOTHING.teacher_name] }),
    ...(by && { by_name: [nameOfPerson(by[0], of), NOTHING.by_name] }),
  };
};

/** Columns in the answer's order. */
export const selectOf = (source: Pick<Source, 'select' | 'org'>): { columns: string; shape: typeof NOTHING } => {
  const names = Object.keys(NOTHING) as (keyof Selected)[];
  const select = named(source);
  return {
    columns: names.map((name) => `${select[name]?.[0] ?? NULLS[name] ?? 'null::text'} as ${name}`).join(', '),
    // What is selected says more exactly what it is; for those who read the rows it is one of these.
    shape: Object.fromEntries(names.map((name) => [name, select[name]?.[1] ?? NOTHING[name]])) as typeof NOTHING,
  };
};
