import type { Answer } from '../../../../libs/client/src/index.ts';
import { addDays } from '../../../../libs/kit/src/base/time.ts';
import { present, same } from '../expectation.ts';
import type { Stage } from '../scenario-stage.ts';
import type { Running } from './clazz.ts';

const TRIES = 5;

/** A read waits a while for the write; if it gives up, it says so and is repeated. */
const includingIt = async <T extends { included: boolean }>(read: () => Promise<Answer<T>>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    const { data } = await read();
    if (data.included || tries === TRIES) return data;
  }
};

/** Statistics that include the last write, with the source rows of a figure. */
export const figures = async ({ as, say, chapter, now }: Stage, { lessons }: Running): Promise<void> => {
  chapter('Statistics that include the last write');
  const today = now.toISOString().slice(0, 10);
  const range = { from: addDays(today, -20), to: today };

  say('The forgotten lesson gets its roll call; the answer carries a consistency token.');
  const path = { lesson_id: lessons.forgotten };
  const marks = [
    { student_id: 'amina', mark: 'late' as const },
    { student_id: 'ben', mark: 'present' as const },
  ];
  const written = await as.li.submitRollCall({ path, body: { marks } });
  const consistency_token = present('the consistency token', written.consistency_token);
  const mine = await includingIt(() =>
    as.amina.getMyLessonStats({ query: { ...range, unit: 'week' } }, { consistency_token }),
  );
  same('included', mine.included, true);
  same('present, late', [mine.totals.present, mine.totals.late], [1, 1]);
  same('attendance', [mine.attendance.numerator, mine.attendance.denominator], [2, 2]);

  say('Each figure can be listed down to its source rows.');
  const rows = (await as.amina.explainFigure({ query: { ...range, figure: 'present' } })).data.items;
  same(
    'the lesson behind “present”',
    rows.map((row) => row.lesson_id),
    [lessons.today],
  );
  const taught = (await as.li.getTeacherStats({ query: range })).data;
  same('lessons with roll call', taught.totals.roll_calls, taught.totals.lessons_taught);
};
