import { Problem, unknownIds } from '@teaching/contracts';
import { isSameName, notNull, p, type Session, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { SEATED_STUDENTS, TAKEN_SEATS } from './occupancy.ts';
import { LESSON, type LessonRow } from './record.tables.ts';
import { ROOM } from './room.table.ts';

const NAMED = ROOM.pick('name');
const EXACT = statement(`select ${NAMED.columns} from room where org_id = $1 and name = any($2::text[])`, NAMED.shape);
const ALL = statement(`select ${NAMED.columns} from room where org_id = $1`, NAMED.shape);

type Reader = Pick<Session, 'query' | 'org_id'>;

/**
 * The names of listed rooms as the list spells them, by these texts of lessons. A text without a listed room is not
 * contained. Lessons in a listed room have its spelling, so everywhere else rooms are compared exactly. Texts without a
 * listed room are therefore different rooms if their spelling differs.
 */
export const listedNames = async (reader: Reader, texts: readonly (string | null)[]): Promise<Map<string, string>> => {
  const wanted = [...new Set(texts.filter((text) => text !== null))];
  if (wanted.length === 0) return new Map();
  const exact = await reader.query(EXACT, reader.org_id, wanted);
  const names = new Map(exact.map(({ name }) => [name, name]));
  const missing = wanted.filter((text) => !names.has(text));
  const others = missing.length === 0 ? [] : await reader.query(ALL, reader.org_id);
  for (const text of missing) {
    const same = others.find(({ name }) => isSameName(name, text));
    if (same !== undefined) names.set(text, same.name);
  }
  return names;
};

/** The room as the list spells it, or the text itself if it is not listed. */
export const spelledRoom = async (reader: Reader, room: string | null | undefined): Promise<string | null> =>
  room == null ? null : ((await listedNames(reader, [room])).get(room) ?? room);

/**
 * The same. 404 at `/body/room` for a text that is not listed, under the policy `rooms: listed`. `names`: the listed names
 * of the room, if they were read before.
 */
export const requireListedRoom = async (
  session: Session,
  room: string | null | undefined,
  names?: ReadonlyMap<string, string>,
): Promise<string | null> => {
  if (room == null) return null;
  const name = (names ?? (await listedNames(session, [room]))).get(room);
  if (name === undefined && (await policyInForce(session, session.org_id)).rooms === 'listed') {
    throw unknownIds([{ path: '/body/room', message: 'is not on the list of rooms' }]);
  }
  return name ?? room;
};

const TOO_SMALL_SHAPE = {
  id: notNull(p.uuid()),
  name: ROOM.shape.name,
  capacity: ROOM.shape.capacity,
  taken: notNull(p.integer()),
};
/** SQL: the lessons `l` with more taken seats than the capacity of their room. */
const tooSmall = (lessons: string): string =>
  `select l.id, r.name, r.capacity, t.taken from ${lessons} l
   join room r on r.org_id = l.org_id and r.name = l.room and r.capacity is not null
   cross join lateral (select ${TAKEN_SEATS} as taken) as t
   where l.org_id = $1 and t.taken > r.capacity`;
const IN_ORDER = 'order by l.starts_at, l.id';
const TOO_SMALL = statement(`${tooSmall('lesson')} and l.id = any($2::uuid[]) ${IN_ORDER}`, TOO_SMALL_SHAPE);
const FUTURE_TOO_SMALL = statement(
  `${tooSmall('lesson')} and l.room = $2 and l.starts_at > $3 and l.status <> 'cancelled' and l.id <> all($4::uuid[])
   ${IN_ORDER}`,
  TOO_SMALL_SHAPE,
);
const WOULD_BE_TOO_SMALL = statement(tooSmall(LESSON.rowsFrom('$2')), TOO_SMALL_SHAPE);

interface LessonRoom {
  id: string;
  room: string | null;
}

/** The lessons with more taken seats, counted now, than the capacity of their listed room. */
export const findTooSmallRooms = async (session: Session, lessons: readonly LessonRoom[]) => {
  const ids = lessons.flatMap(({ id, room }) => (room === null ? [] : [id]));
  return ids.length === 0 ? [] : session.query(TOO_SMALL, session.org_id, ids);
};

/**
 * The room of lessons that are not stored in this form yet, if one of them would have more taken seats than it holds.
 * `taken` is the most that one of them needs.
 */
export const findTooSmallRoomOf = async (session: Session, lessons: readonly LessonRow[]) => {
  const found = await session.query(WOULD_BE_TOO_SMALL, session.org_id, LESSON.toJson(lessons));
  const most = found.toSorted((a, b) => b.taken - a.taken)[0];
  return most === undefined ? null : { room: most.name, capacity: most.capacity ?? 0, taken: most.taken };
};

/**
 * 409 `room_too_small` if there are such lessons. It names all of them that are in the room of the first one; `taken` is
 * the most that one of them needs.
 */
const refuseTooSmallRoom = (found: Awaited<ReturnType<typeof findTooSmallRooms>>): void => {
  const [first] = found;
  if (first === undefined) return;
  const { name: room, capacity } = first;
  const lessons = found.filter((row) => row.name === room);
  const taken = Math.max(...lessons.map((row) => row.taken));
  throw new Problem('room_too_small', {
    detail: `${room} holds ${capacity}, ${lessons.length === 1 ? 'the lesson has' : `${lessons.length} lessons have up to`} ${taken}`,
    members: { lesson_ids: lessons.map(({ id }) => id), room, capacity, taken },
  });
};

/** 409 `room_too_small` when lessons have more taken seats than their room holds. */
export const requireRoomCapacity = async (session: Session, lessons: readonly LessonRoom[]): Promise<void> =>
  refuseTooSmallRoom(await findTooSmallRooms(session, lessons));

/**
 * 409 `room_too_small` when future lessons in a stored room have more taken seats than it holds. `ignoring` are lessons
 * that are not checked.
 */
export const requireCapacityForFuture = async (
  session: Session,
  room: string,
  ignoring: readonly string[],
): Promise<void> =>
  refuseTooSmallRoom(await session.query(FUTURE_TOO_SMALL, session.org_id, room, session.now, ignoring));

const FREE_IN_ROOMS = statement(
  `select min(r.capacity - (select count(*)::int from ${SEATED_STUDENTS} as s where s.student_id <> all($4::text[]))) as free
   from lesson l join room r on r.org_id = l.org_id and r.name = l.room and r.capacity is not null
   where l.org_id = $1 and l.clazz_id = $2 and l.starts_at >= $3 and l.status = 'scheduled'`,
  { free: p.integer().nullable() },
);

/**
 * The free seats in the smallest room of the class's lessons from a moment on. Joining students are not counted as
 * taken.
 */
export const freeRoomSeats = async (
  session: Session,
  clazz_id: string,
  since: string,
  joining: readonly string[] = [],
): Promise<number> => {
  const from = since > session.now.toISOString() ? since : session.now.toISOString();
  const found = await session.queryOne(FREE_IN_ROOMS, session.org_id, clazz_id, from, joining);
  return Math.max(0, found?.free ?? Number.POSITIVE_INFINITY);
};
