import { type Course, courseCalls, courseEvents, notFound } from '@teaching/contracts';
import { instant, newRecord, p, pagedList, routes, type Session, table, nextVersion } from '../../src/index.ts';

/** The table of the fixture service. */
export const NOTE = table('note', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  title: p.text(),
  teacher_id: p.text(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});

type Note = Pick<Course, keyof typeof NOTE.shape>;
const toCourse = (note: Note): Course => ({ ...note, description: '', category_id: null, status: 'active' });

const list = pagedList({
  ...NOTE,
  from: 'note',
  sorts: {
    title: { by: 'title', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
});

/** Stores a note and emits its event. */
export const addNote = (session: Session, title: string, teacher_id = session.caller.user_id): Course => {
  const note = toCourse({ ...newRecord(session), title, teacher_id });
  const { description: _none, category_id: _nothing, status: _any, ...row } = note;
  session.insert(NOTE, row);
  session.emit(courseEvents.courseCreated, note.id, note);
  return note;
};

const { createCourse: create, getCourse: get, updateCourse: update, listCourses: listCall } = courseCalls;

/** The fixture service knows no names of teachers and categories. */
const UNNAMED = { teacher_name: null, category_name: null };

/** Simple forms of some calls of the course service, so that the fixture service can be called through the gateway. */
export const noteRoutes = routes(
  { create, get, update, listCall },
  {
    create: async ({ body }, session) => {
      const teacher_id = session.access.resolveOwner(body.teacher_id);
      return { ...addNote(session, body.title, teacher_id), ...UNNAMED };
    },
    get: async ({ path }, session) => {
      const found = await session.find(NOTE, path.id);
      if (found === undefined || !session.access.allows({ offered: true })) throw notFound('Course');
      return { ...toCourse(found), ...UNNAMED };
    },
    update: async ({ path, body }, session) => {
      const found = await session.lock(NOTE, path.id);
      if (found === undefined) throw notFound('Course');
      session.checkVersion(found.version);
      session.access.requireOwner(found.teacher_id);
      const changed = nextVersion({ ...found, title: body.title ?? found.title }, session);
      session.update(NOTE, changed);
      session.emit(courseEvents.courseUpdated, changed.id, toCourse(changed));
      return { ...toCourse(changed), ...UNNAMED };
    },
    listCall: async ({ query }, session) => {
      session.access.isLimitedTo('offered');
      const { items, next_cursor } = await list(session, query);
      return { items: items.map((it) => ({ ...toCourse(it), ...UNNAMED })), next_cursor };
    },
  },
);
