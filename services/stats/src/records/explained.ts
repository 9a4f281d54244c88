import { p } from '@mikro-orm/postgresql';
import type { Figure, SourceRow } from '@teaching/contracts';
import { always, CLOCK, instant, type Page, pagedList, type RowOf, type Session } from '@teaching/kit';
import { GEN } from '../figures/sql.ts';
import type { StatsRange } from '../range/range.rules.ts';

/** Whose figure is explained. */
export const SUBJECTS = ['student', 'teacher', 'clazz', 'org'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** A source row without the names that the directory knows. */
export type ExplainedRow = Omit<SourceRow, 'clazz_name' | 'student_name'>;

interface Asked {
  /** The subject's; none of an organization. */
  id: string | undefined;
  /** Only what belongs to this class. */
  clazz_id: string | undefined;
  range: StatsRange;
}

/** A figure of a kind of subject, and the rows it is made of. */
export interface Explained {
  figure: Figure;
  subject: Subject;
  page: (
    session: Session,
    query: { limit: number; cursor?: string | undefined },
    asked: Asked,
  ) => Promise<Page<ExplainedRow>>;
}

/** What a source does not have is null. */
const NOTHING = {
  source: always(p.text().$type<SourceRow['source']>()),
  id: always(p.text()),
  counts: always(p.integer().$type<number | string>()),
  at: always(instant()),
  clazz_id: p.text().nullable(),
  lesson_id: p.text().nullable(),
  student_id: p.text().nullable(),
  teacher_id: p.text().nullable(),
  state: p.text().nullable(),
  by: p.text().nullable(),
  done_at: instant().nullable(),
  revision: p.integer().nullable(),
};
const NULLS: Readonly<Record<string, string>> = { counts: '1', done_at: 'null::timestamptz', revision: 'null::int' };

type Row = RowOf<typeof NOTHING>;
/** Columns of the answer: their SQL, and what it gives. */
export type Selected = {
  readonly [K in keyof Row]?: readonly [
    sql: string,
    column: { '~type'?: { value: NonNullable<Row[K]> }; '~options': unknown },
  ];
};

/** The rows of a figure: what to select from, what to count, and which conditions hold. */
export interface Source {
  from: string;
  select: Selected;
  where: readonly string[];
  /** The alias with `org_id` and `gen`. */
  org: string;
  /** The instant that the range is compared with; none when it stands for the present, where `clock.now` is known. */
  at?: string;
  /** Rows come in this order, which an index has where they may be many. */
  sort: { by: string; type: string; id: string; idType: 'text' | 'uuid' };
  /** Columns with the subject's id and with the class, for filters. */
  subject?: string;
  clazz?: string;
}

const listOf = ({ from, select, where, org, at, sort, subject, clazz }: Source) => {
  const names = Object.keys(NOTHING) as (keyof Selected)[];
  return pagedList({
    columns: names.map((name) => `${select[name]?.[0] ?? NULLS[name] ?? 'null::text'} as ${name}`).join(', '),
    // What is selected says more exactly what it is; for those who read rows it is one of these.
    shape: Object.fromEntries(names.map((name) => [name, select[name]?.[1] ?? NOTHING[name]])) as typeof NOTHING,
    from,
    org: `${org}.org_id`,
    id: { by: sort.id, type: sort.idType },
    sorts: { order: sort },
    where: {
      rows: [`${org}.gen = ${GEN}`, ...where].join(' and '),
      ...(subject === undefined ? {} : { id: `${subject} = ?` }),
      ...(clazz === undefined ? {} : { clazz_id: `${clazz} = ?` }),
      ...(at === undefined ? {} : { range: `${at} >= ? and ${at} < ?` }),
    },
    joins: at === undefined ? { clock: CLOCK } : {},
  });
};

/** Declares that these rows make a figure: what their `counts` add up to. */
export const explained = (figure: Figure, subject: Subject, source: Source): Explained => {
  const list = listOf(source);
  return {
    figure,
    subject,
    page: (session, query, { range, ...asked }) =>
      list(
        session,
        { ...query, sort: 'order' },
        { ...asked, rows: true, range: [range.starts_at, range.ends_at] },
        { clock: session.now },
      ),
  };
};
