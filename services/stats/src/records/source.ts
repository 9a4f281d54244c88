import type { SourceRow } from '@teaching/contracts';
import { notNull, type Column, instant, p, type RowOf, type Shape } from '@teaching/kit';
import { nameOfClazz, nameOfPerson, timeOfLesson } from '../figures/sql-fragments.ts';

/** Columns of an explanation. A column that a source does not have is null. */
const COLUMNS = {
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

type Row = RowOf<typeof COLUMNS>;
/** Selected columns: their SQL and their types. */
export type SelectedColumns = {
  readonly [K in keyof Row]?: readonly [sql: string, column: Column<NonNullable<Row[K]>>];
};

/** Returns a function that selects an unchanged column of a table under the alias. */
export const columnsOf =
  <S extends Shape>(alias: string, { shape }: { shape: S }) =>
  <N extends keyof S & string>(name: N): readonly [sql: string, column: S[N]] => [`${alias}.${name}`, shape[name]];

/**
 * The rows that explain a figure: their tables, columns and conditions. `counts` is the share of a row in the figure.
 */
export interface ExplanationSource {
  from: string;
  select: SelectedColumns;
  where: readonly string[];
  /** Alias of the table with `org_id` and `gen`. */
  org: string;
  /**
   * Column that is compared with the range. Absent for figures of the present; then the conditions can use `clock.now`.
   */
  at?: string;
  /** Order of the rows. If there can be many rows, an index has this order. */
  sort: { by: string; type: string; id: string; idType: 'text' | 'uuid' };
  /** Columns with the id of the subject and of the class, for filters. */
  subject?: string;
  clazz?: string;
}

/** Adds the columns with the names of people and classes, and with the times of the lesson. */
const withNames = ({ select, org }: Pick<ExplanationSource, 'select' | 'org'>): SelectedColumns => {
  const scope = { org_id: `${org}.org_id`, gen: `${org}.gen` };
  const { clazz_id, lesson_id, student_id, teacher_id, by } = select;
  return {
    ...select,
    ...(clazz_id && { clazz_name: [nameOfClazz(clazz_id[0], scope), COLUMNS.clazz_name] }),
    ...(lesson_id && {
      lesson_starts_at: [timeOfLesson('starts_at', lesson_id[0], scope), COLUMNS.lesson_starts_at],
      lesson_ends_at: [timeOfLesson('ends_at', lesson_id[0], scope), COLUMNS.lesson_ends_at],
    }),
    ...(student_id && { student_name: [nameOfPerson(student_id[0], scope), COLUMNS.student_name] }),
    ...(teacher_id && { teacher_name: [nameOfPerson(teacher_id[0], scope), COLUMNS.teacher_name] }),
    ...(by && { by_name: [nameOfPerson(by[0], scope), COLUMNS.by_name] }),
  };
};

/** The columns in the order of the answer. */
export const selectOf = (
  source: Pick<ExplanationSource, 'select' | 'org'>,
): { columns: string; shape: typeof COLUMNS } => {
  const names = Object.keys(COLUMNS) as (keyof SelectedColumns)[];
  const select = withNames(source);
  return {
    columns: names.map((name) => `${select[name]?.[0] ?? NULLS[name] ?? 'null::text'} as ${name}`).join(', '),
    // The type of a selected column can be narrower than that in COLUMNS. Readers of the rows need only the wider type.
    shape: Object.fromEntries(names.map((name) => [name, select[name]?.[1] ?? COLUMNS[name]])) as typeof COLUMNS,
  };
};
