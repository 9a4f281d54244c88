import { signal } from '@preact/signals';
import { counted, texts } from './language.ts';

/** Marks of the person who is logged in that are not saved yet. */
export interface UnsavedMarks {
  count: number;
  /** Whether the browser keeps them when the page is closed. */
  isKept: boolean;
}

/** Told by the queue that has them, which is a chunk of its own. */
export const unsavedMarks = signal<UnsavedMarks>({ count: 0, isKept: true });

const t = texts({
  kept: {
    en: (n: number) =>
      `${counted(n, 'mark is', 'marks are')} not saved yet. What waits stays in this browser, for you alone, and is sent when you are logged in here again.`,
    zh: (n: number) => `有${n}条点名尚未保存。它们会留在此浏览器中，他人无法看到；您再次在此登录后会自动发送。`,
  },
  lost: {
    en: (n: number) =>
      `${counted(n, 'mark is', 'marks are')} not saved yet. This browser keeps nothing: what waits is lost when you leave this page.`,
    zh: (n: number) => `有${n}条点名尚未保存。此浏览器不保存数据，离开本页后它们将会丢失。`,
  },
});

/** What somebody should know who is about to leave; undefined where all is saved. */
export const unsavedText = (): string | undefined => {
  const { count, isKept } = unsavedMarks.value;
  if (count === 0) return undefined;
  return isKept ? t.kept(count) : t.lost(count);
};
