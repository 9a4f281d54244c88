import { signal } from '@preact/signals';
import { countText, texts } from './language.ts';

/** The unsaved marks of the person who is logged in. */
export interface UnsavedMarks {
  count: number;
  /** Whether the browser stores them when the page is closed. */
  isStored: boolean;
}

/** Set by the roll-call queue, which is loaded as a chunk of its own. */
export const unsavedMarks = signal<UnsavedMarks>({ count: 0, isStored: true });

const t = texts({
  kept: {
    en: (n: number) =>
      `${countText(n, 'mark is', 'marks are')} not saved yet. They stay in this browser, and only you can see them. They are sent when you log in here again.`,
    zh: (n: number) => `有${n}条点名尚未保存。它们会留在此浏览器中，他人无法看到；您再次在此登录后会自动发送。`,
  },
  lost: {
    en: (n: number) =>
      `${countText(n, 'mark is', 'marks are')} not saved yet. This browser cannot store them: they are lost when you leave this page.`,
    zh: (n: number) => `有${n}条点名尚未保存。此浏览器不保存数据，离开本页后它们将会丢失。`,
  },
});

/** The warning about unsaved marks before the page is left; undefined if all are saved. */
export const unsavedText = (): string | undefined => {
  const { count, isStored } = unsavedMarks.value;
  if (count === 0) return undefined;
  return isStored ? t.kept(count) : t.lost(count);
};
