import {
  clazzCalls,
  enrolmentCalls,
  hourCalls,
  leaveCalls,
  lessonCalls,
  memberCalls,
  roomCalls,
} from '@teaching/contracts';
import { PERSON, type ReadyRequests, type Scene } from './scene.ts';

const inDraft: ReadyRequests = async ({ clazz }) => ({ path: { id: await clazz('draft') } });
const inClazz: ReadyRequests = async ({ clazz }) => ({ path: { id: await clazz() } });
const onAttendance: ReadyRequests = async ({ attended }) => ({ path: await attended() });
const onLesson: ReadyRequests = async ({ lesson }) => ({ path: { lesson_id: await lesson() } });

const ofClasses: Readonly<Record<string, ReadyRequests>> = {
  'clazz.clazz.update': inDraft,
  'clazz.clazz.remove': inDraft,
  'clazz.clazz.activate': inDraft,
  'clazz.clazz.cancel': inClazz,
  'clazz.clazz.complete': inClazz,
  'clazz.clazz.reopen': async ({ boss, clazz }) => {
    const path = { id: await clazz() };
    await boss.ok(clazzCalls.completeClazz, { path });
    return { path };
  },
  'clazz.clazz.set_assistants': async ({ clazz, name }) => ({
    path: { id: await clazz() },
    body: { teacher_ids: [name('assistant').replace(' ', '-')] },
  }),
  'clazz.enrolment.enrol': inClazz,
  'clazz.enrolment.suspend': onAttendance,
  'clazz.enrolment.resume': async ({ boss, attended }) => {
    const path = await attended();
    await boss.ok(enrolmentCalls.suspendEnrolment, { path });
    return { path };
  },
  'clazz.enrolment.withdraw': onAttendance,
  'clazz.enrolment.transfer': async ({ attended, clazz }) => ({
    path: await attended(),
    body: { to_clazz_id: await clazz() },
  }),
};

const ofLessons: Readonly<Record<string, ReadyRequests>> = {
  'clazz.lesson.create': ({ hall, hour }) => ({ path: { id: hall }, body: hour() }),
  'clazz.lesson.update': onLesson,
  'clazz.lesson.cancel': onLesson,
  'clazz.lesson.delete': onLesson,
  'clazz.lesson.restore': async ({ boss, lesson }) => {
    const path = { lesson_id: await lesson() };
    await boss.ok(lessonCalls.cancelLesson, { path });
    return { path };
  },
  'clazz.series.create': ({ hall, day }) => ({
    path: { id: hall },
    body: { starts_on: day(), start_time: '10:00', duration_minutes: 60, zone: 'UTC', rrule: 'FREQ=DAILY', count: 1 },
  }),
  'clazz.roll_call.submit': async ({ pastLesson }) => ({
    path: { lesson_id: await pastLesson() },
    body: { marks: [{ student_id: PERSON.STUDENT, mark: 'late' }] },
  }),
  'clazz.closure.create': async ({ boss, clazz, hour }) => {
    const [id, times] = [await clazz(), hour()];
    await boss.ok(lessonCalls.createLesson, { path: { id }, body: times });
    return { body: { from: times.starts_at, to: times.ends_at, clazz_ids: [id], reason: 'x' } };
  },
  'clazz.substitution.create': async ({ boss, clazz, hour, name }) => {
    const [id, times, substitute] = [await clazz(), hour(), name('substitute').replace(' ', '-')];
    await boss.ok(lessonCalls.createLesson, { path: { id }, body: times });
    const range = { from: times.starts_at, to: times.ends_at };
    return { body: { ...range, clazz_ids: [id], teacher_id: PERSON.TEACHER, with: substitute } };
  },
};

const asked = async ({ ann, lesson }: Scene): Promise<string> => {
  const { items } = await ann.ok(leaveCalls.requestLeave, { body: { lesson_id: await lesson(), reason: 'x' } });
  return items[0]?.id ?? '';
};
const approved = async (scene: Scene): Promise<string> => {
  const id = await asked(scene);
  await scene.boss.ok(leaveCalls.approveLeave, { path: { id } });
  return id;
};
const onLeave: ReadyRequests = async (scene) => ({ path: { id: await asked(scene) } });

const ofLeave: Readonly<Record<string, ReadyRequests>> = {
  'clazz.leave.request': async ({ lesson }) => ({
    body: { lesson_id: await lesson(), student_id: PERSON.STUDENT, reason: 'x' },
  }),
  'clazz.leave.approve': onLeave,
  'clazz.leave.reject': onLeave,
  'clazz.leave.reopen': async (scene) => ({ path: { id: await approved(scene) } }),
  'clazz.leave.cancel': onLeave,
  'clazz.leave.make_up': async (scene) => ({
    path: { id: await approved(scene) },
    body: { lesson_id: await scene.otherLesson() },
  }),
  'clazz.leave.undo_make_up': async (scene) => {
    const id = await approved(scene);
    await scene.boss.ok(leaveCalls.bookMakeUp, { path: { id }, body: { lesson_id: await scene.otherLesson() } });
    return { path: { id } };
  },
};

/** A student who has ten hours. */
const rich = async ({ boss, name }: Scene): Promise<string> => {
  const student_id = name('student').replace(' ', '-');
  await boss.ok(hourCalls.grantHours, { body: { student_id, hours: 10, price_minor: 1_000, currency: 'EUR' } });
  return student_id;
};
const ofHours: Readonly<Record<string, ReadyRequests>> = {
  'clazz.hour.transfer': async (scene) => ({
    body: { from_student_id: await rich(scene), to_student_id: await rich(scene), hours: 1, reason: 'x' },
  }),
  'clazz.hour.undo_grant': async ({ boss, name }) => {
    const body = { student_id: name('granted').replace(' ', '-'), hours: '1' };
    return { path: { lot_id: (await boss.ok(hourCalls.grantHours, { body })).id } };
  },
  'clazz.hour.quote_refund': async (scene) => ({ body: { student_id: await rich(scene) } }),
  'clazz.hour.refund': async (scene) => {
    const { quote_id } = await scene.boss.ok(hourCalls.quoteRefund, { body: { student_id: await rich(scene) } });
    return { body: { quote_id } };
  },
};

const member = async ({ boss, name }: Scene): Promise<string> => {
  const user_id = name('member').replace(' ', '-');
  await boss.ok(memberCalls.putMembers, { body: { members: [{ user_id, role: 'STUDENT', display_name: 'M' }] } });
  return user_id;
};
const onMember: ReadyRequests = async (scene) => ({ path: { user_id: await member(scene) } });
const onRoom: ReadyRequests = async ({ boss, name }) => {
  const { id } = await boss.ok(roomCalls.createRoom, { body: { name: name('room') } });
  return { path: { id } };
};

const ofTheOffice: Readonly<Record<string, ReadyRequests>> = {
  'clazz.member.put_bulk': ({ name }) => ({
    body: { members: [{ user_id: name('member').replace(' ', '-'), role: 'STUDENT', display_name: 'M' }] },
  }),
  'clazz.member.update': onMember,
  'clazz.member.remove': onMember,
  'clazz.member.deactivate': onMember,
  'clazz.member.sign_out': onMember,
  'clazz.member.activate': async (scene) => {
    const path = { user_id: await member(scene) };
    await scene.boss.ok(memberCalls.deactivateMember, { path, body: { reason: 'x' } });
    return { path };
  },
  'clazz.member.put_guardians': async (scene) => ({
    path: { user_id: await member(scene) },
    body: { guardians: [{ user_id: await member(scene), money: true }] },
  }),
  'clazz.member.erase': onMember,
  'clazz.holiday.put': ({ day }) => ({ body: { holidays: [{ date: day(), name: 'H' }] } }),
  // The time zone of the permanent records.
  'clazz.policy.put': ({ name }) => ({ body: { zone: 'Asia/Tokyo', org_name: name('school') } }),
  'clazz.room.create': ({ name }) => ({ body: { name: name('room') } }),
  'clazz.room.update': async (scene, me) => ({ ...(await onRoom(scene, me)), body: { name: scene.name('room') } }),
  'clazz.room.remove': onRoom,
};

export const classRequests: Readonly<Record<string, ReadyRequests>> = {
  ...ofClasses,
  ...ofLessons,
  ...ofLeave,
  ...ofHours,
  ...ofTheOffice,
};
