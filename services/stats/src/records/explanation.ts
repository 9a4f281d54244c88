import type { Figure, SourceRow } from '@teaching/contracts';
import { REQUEST_CLOCK, type Page, pagedList, type Session } from '@teaching/kit';
import { GEN } from '../figures/sql-fragments.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { selectOf, type Source } from './source.ts';

/** The subjects of figures. */
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
export interface Explanation {
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
    joins: at === undefined ? { clock: REQUEST_CLOCK } : {},
  });

/** Declares that these rows explain a figure. */
export const explanation = (figure: Figure, subject: Subject, source: Source): Explanation => {
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

/**
 * Declares that the rows of several lists make a figure, one list after the other: each comes in an order that an
 * index has, so that a page costs its own rows of each. Where the next list does not fit a page is short.
 */
export const explanationInParts = (figure: Figure, subject: Subject, sources: readonly Source[]): Explanation => {
  const parts = sources.map((source) => explanation(figure, subject, source));
  return {
    figure,
    subject,
    page: async (session, { limit, cursor }, asked) => {
      const list = JSON.stringify([figure, subject, asked.id, asked.clazz_id]);
      const [begun = 0, within = null] = session.readCursor(cursor, list) ?? [];
      const after = within === null ? undefined : String(within);
      // All at once, since all have to be of one moment.
      const pages = await Promise.all(
        parts
          .slice(Number(begun))
          .map((part, index) => part.page(session, { limit, cursor: index === 0 ? after : undefined }, asked)),
      );
      const items: SourceRow[] = [];
      for (const [index, page] of pages.entries()) {
        const next = [Number(begun) + index];
        if (items.length + page.items.length > limit) return { items, next_cursor: session.signCursor(next, list) };
        items.push(...page.items);
        if (page.next_cursor !== null)
          return { items, next_cursor: session.signCursor([...next, page.next_cursor], list) };
      }
      return { items, next_cursor: null };
    },
  };
};
