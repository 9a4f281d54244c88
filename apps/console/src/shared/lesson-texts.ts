/** Free texts of a lesson, with their names. A new one is a line here: the sheet of a lesson shows it, in this order. */
export const LESSON_TEXTS = {
  topic: { en: 'Topic', zh: '主题' },
  homework: { en: 'Homework', zh: '作业' },
} as const;

/** Those that the form of the timetable edits, with the greatest length that the API accepts. */
export const FORM_TEXTS = { topic: 200 } as const satisfies Partial<Record<keyof typeof LESSON_TEXTS, number>>;
export type FormText = keyof typeof FORM_TEXTS;

/** The keys of a table that is declared in code. */
export const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];
