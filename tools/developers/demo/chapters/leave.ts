import { present, refused, same } from '../expectation.ts';
import { hourAt, type Stage } from '../scenario-stage.ts';
import type { Running } from './clazz.ts';

const MINUTES = 1 / 60;

/** Leave that is requested minutes before the lesson is late, so half of the lesson is charged. */
export const leave = async (stage: Stage, { clazz_id }: Running): Promise<void> => {
  const { as, say, chapter } = stage;
  chapter('Leave that is requested too late');
  const soon = hourAt(stage, 10 * MINUTES);
  const lesson_id = (await as.li.createLesson({ path: { id: clazz_id }, body: soon })).data.id;
  say('The lesson begins in ten minutes; the deadline was a day before. The policy takes the request as late.');
  say('Her mother requests it: a guardian may do for a linked child what the child may do.');
  const body = { lesson_id, reason: 'On the wrong train' };
  await refused(as.dina.requestLeave({ body: { ...body, student_id: 'ben' } }), 404, 'not_found');
  const asked = (await as.dina.requestLeave({ body: { ...body, student_id: 'amina' } })).data.items;
  const { id, in_time, requested_by } = present('the request', asked[0]);
  same('the user who asked', requested_by, 'dina');
  same('in time', in_time, false);
  await as.li.approveLeave({ path: { id } });

  say('Approved leave presets the mark of the roll call.');
  const path = { lesson_id };
  const listed = (await as.li.getRollCall({ path })).data.marks;
  same('preset mark', listed.find((row) => row.student_id === 'amina')?.mark, 'leave');
  const marks = [
    { student_id: 'amina', mark: 'leave' as const },
    { student_id: 'ben', mark: 'late' as const },
  ];
  const taken = (await as.li.submitRollCall({ path, body: { marks } })).data.marks;
  same('charged', taken.find((row) => row.student_id === 'amina')?.charged_hours, '0.50');
};
