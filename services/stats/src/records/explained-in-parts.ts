import type { Figure, SourceRow } from '@teaching/contracts';
import { type Explained, explained, type Subject } from './explained.ts';
import type { Source } from './source.ts';

/**
 * Declares that the rows of several lists make a figure, one list after the other: each comes in an order that an
 * index has, so that a page costs its own rows of each. Where the next list does not fit a page is short.
 */
export const explainedInParts = (figure: Figure, subject: Subject, sources: readonly Source[]): Explained => {
  const parts = sources.map((source) => explained(figure, subject, source));
  return {
    figure,
    subject,
    page: async (session, { limit, cursor }, asked) => {
      const list = JSON.stringify([figure, subject, asked.id, asked.clazz_id]);
      const [begun = 0, within = null] = session.openCursor(cursor, list) ?? [];
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
        if (items.length + page.items.length > limit) return { items, next_cursor: session.sealCursor(next, list) };
        items.push(...page.items);
        if (page.next_cursor !== null)
          return { items, next_cursor: session.sealCursor([...next, page.next_cursor], list) };
      }
      return { items, next_cursor: null };
    },
  };
};
