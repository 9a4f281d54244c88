import type { Figure } from '@teaching/contracts';
import { type Explained, explained, type Subject } from './explained.ts';
import type { ExplainedRow, Source } from './source.ts';

/**
 * Declares that the rows of several lists make a figure, one list after the other: each comes in an order that an
 * index has, so that a page costs its own rows. The last page may be empty.
 */
export const explainedInParts = (figure: Figure, subject: Subject, sources: readonly Source[]): Explained => {
  const parts = sources.map((source) => explained(figure, subject, source));
  return {
    figure,
    subject,
    page: async (session, { limit, cursor }, asked) => {
      const list = JSON.stringify([figure, subject, asked.id, asked.clazz_id]);
      const [begun = 0, within = null] = session.openCursor(cursor, list) ?? [];
      const items: ExplainedRow[] = [];
      let after = within === null ? undefined : String(within);
      for (const [index, part] of parts.entries()) {
        if (index < Number(begun)) continue;
        const page = await part.page(session, { limit: limit - items.length, cursor: after }, asked);
        items.push(...page.items);
        if (page.next_cursor !== null) {
          return { items, next_cursor: session.sealCursor([index, page.next_cursor], list) };
        }
        if (items.length === limit && index + 1 < parts.length) {
          return { items, next_cursor: session.sealCursor([index + 1], list) };
        }
        after = undefined;
      }
      return { items, next_cursor: null };
    },
  };
};
