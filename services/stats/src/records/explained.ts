import type { Figure, SourceRow } from '@teaching/contracts';
import { CLOCK, type Page, pagedList, type Session } from '@teaching/kit';
import { GEN } from '../figures/sql.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { selectOf, type Source } from './source.ts';

/** Whose figure is explained. */
export const SUBJECTS = ['student', 'teacher', 'clazz', 'org'] as const;
export type Subject = (typeof SUBJECTS)[number];

interface Asked {
  /** The subject's; none of an organization. */
  id: string | undefined;
  /** Only what belongs to this class. */
  clazz_id: string | undefined;
  range: StatsRange;
}

/** A figure of a kind of subject, and the rows it is made of: what their `counts` add up to. */
export interface Explained {
  figure: Figure;
  subject: Subject;
  page: (
    session: Session,
    query: { limit: number; cursor?: string | undefined },
    asked: Asked,
  ) => Promise<Page<SourceRow>>;
}

const listOf = ({ from, select, where, org, at, sort, subject, clazz }: Source) =>
  pagedList({
    ...selectOf({ select, org }),
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

/** Declares that these rows explain a figure. */
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
