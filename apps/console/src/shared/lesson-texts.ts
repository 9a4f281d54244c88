/**
 * Free texts of a lesson, with their labels. Add a new one here: the lesson's sheet shows all of them, in this
 * order.
 */
export const LESSON_TEXTS = {
  topic: { en: 'Topic', zh: '主题' },
  homework: { en: 'Homework', zh: '作业' },
} as const;

/** The texts that the timetable's form edits, with the maximum length that the API accepts. */
export const FORM_TEXTS = { topic: 200 } as const satisfies Partial<Record<keyof typeof LESSON_TEXTS, number>>;
export type FormText = keyof typeof FORM_TEXTS;

/** The typed keys of a table that is declared in code. */
export const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];
