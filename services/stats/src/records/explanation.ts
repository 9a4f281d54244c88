import type { Figure, SourceRow } from '@teaching/contracts';
import { REQUEST_CLOCK, type Page, pagedList, type Session } from '@teaching/kit';
import { CURRENT_GEN } from '../figures/sql-fragments.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { selectOf, type ExplanationSource } from './source.ts';

/** The kinds of subjects that have figures. */
export const SUBJECTS = ['student', 'teacher', 'clazz', 'org'] as const;
export type Subject = (typeof SUBJECTS)[number];

interface FigureQuery {
  /** Id of the subject. Undefined for the organization. */
  id: string | undefined;
  /** Only rows of this class. */
  clazz_id: string | undefined;
  range: StatsRange;
}

/** A figure of a kind of subject, and the rows that explain it: the sum of their `counts` is the figure. */
export interface Explanation {
  figure: Figure;
  subject: Subject;
  page: (
    session: Session,
    query: { limit: number; cursor?: string | undefined },
    filter: FigureQuery,
  ) => Promise<Page<SourceRow>>;
}

const listOf = ({ from, select, where, org, at, sort, subject, clazz }: ExplanationSource) =>
  pagedList({
    ...selectOf({ select, org }),
    from,
    org: `${org}.org_id`,
    id: { by: sort.id, type: sort.idType },
    sorts: { order: sort },
    where: {
      rows: [`${org}.gen = ${CURRENT_GEN}`, ...where].join(' and '),
      ...(subject === undefined ? {} : { id: `${subject} = ?` }),
      ...(clazz === undefined ? {} : { clazz_id: `${clazz} = ?` }),
      ...(at === undefined ? {} : { range: `${at} >= ? and ${at} < ?` }),
    },
    joins: at === undefined ? { clock: REQUEST_CLOCK } : {},
  });

/** Declares the rows that explain a figure. */
export const explanation = (figure: Figure, subject: Subject, source: ExplanationSource): Explanation => {
  const list = listOf(source);
  return {
    figure,
    subject,
    page: (session, query, { range, ...filter }) =>
      list(
        session,
        { ...query, sort: 'order' },
        { ...filter, rows: true, range: [range.starts_at, range.ends_at] },
        { clock: session.now },
      ),
  };
};

/**
 * Declares that the rows of several lists explain a figure, one list after the other. Each list has the order of an
 * index, so the cost of a page depends only on its own rows. A page is shorter than the limit if the next list does not
 * fit.
 */
export const explanationInParts = (
  figure: Figure,
  subject: Subject,
  sources: readonly ExplanationSource[],
): Explanation => {
  const parts = sources.map((source) => explanation(figure, subject, source));
  return {
    figure,
    subject,
    page: async (session, { limit, cursor }, filter) => {
      const list = JSON.stringify([figure, subject, filter.id, filter.clazz_id]);
      const [start = 0, innerCursor = null] = session.readCursor(cursor, list) ?? [];
      const after = innerCursor === null ? undefined : String(innerCursor);
      // All lists are read at once, so that they are from one snapshot.
      const pages = await Promise.all(
        parts
          .slice(Number(start))
          .map((part, index) => part.page(session, { limit, cursor: index === 0 ? after : undefined }, filter)),
      );
      const items: SourceRow[] = [];
      for (const [index, page] of pages.entries()) {
        const next = [Number(start) + index];
        if (items.length + page.items.length > limit) return { items, next_cursor: session.signCursor(next, list) };
        items.push(...page.items);
        if (page.next_cursor !== null)
          return { items, next_cursor: session.signCursor([...next, page.next_cursor], list) };
      }
      return { items, next_cursor: null };
    },
  };
};
