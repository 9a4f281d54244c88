import { texts } from './language.ts';

const t = texts({
  cancelled: { en: 'All lessons of today are cancelled.', zh: '今天的课已全部取消。' },
  over: { en: 'All lessons of today are over.', zh: '今天的课已全部结束。' },
});

/** Why no lesson of today is running or follows. There is at least one lesson. */
export const dayOverText = (lessons: readonly { status: string }[]): string =>
  lessons.every(({ status }) => status === 'cancelled') ? t.cancelled : t.over;
