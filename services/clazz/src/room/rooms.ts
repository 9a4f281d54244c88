import { clazzEvents, type EventData, notFound, Problem, Room, type roomCalls, RoomFields } from '@teaching/contracts';
import {
  requireVersion,
  containsKeyword,
  type Handler,
  isSameName,
  newRecord,
  pagedList,
  withConstraintProblems,
  type Session,
  statement,
  nextVersion,
  voidResult,
} from '@teaching/kit';
import { auditOrg, changesOf } from '../audit/record-audit.ts';
import { recordFreedPlaces } from '../record/freed-places.ts';
import { requireCapacityForFuture } from '../record/check-rooms.ts';
import { LESSON } from '../record/record.tables.ts';
import { ROOM } from '../record/room.table.ts';
import { lockLessonsOfRoom, renameRoomInLessons } from './room-lessons.ts';

const NAME_IN_TURN = statement("select own_turn($1, 'room_name')", { own_turn: voidResult() });
const OTHER = ROOM.pick('name');
const OTHERS = statement(`select ${OTHER.columns} from room where org_id = $1 and id <> $2`, OTHER.shape);
const duplicate = () => new Problem('duplicate', 'A room with this name already exists');

/**
 * Stores a room by the given statement. 409 `duplicate` when another room has the same name (`isSameName`). The
 * names are compared in turn, so that of two parallel writers only one gets the name.
 */
const save = async (session: Session, how: typeof ROOM.insert, it: Room, before?: Room): Promise<void> => {
  if (it.name !== before?.name) {
    session.run(NAME_IN_TURN, session.org_id);
    const others = await session.query(OTHERS, session.org_id, it.id);
    if (others.some(({ name }) => isSameName(name, it.name))) throw duplicate();
  }
  await withConstraintProblems(session.query(how, ROOM.toJson([it])), { room_name: duplicate });
};

const lock = async (session: Session, id: string): Promise<Room> =>
  requireVersion(session, await session.lock(ROOM, id), 'Room');

const IN_USE = LESSON.pick('clazz_id');
const USING = statement(
  `select distinct ${IN_USE.columns} from lesson
   where org_id = $1 and room = $2 and starts_at > $3 and status = 'scheduled'`,
  IN_USE.shape,
);
/** Records freed places of the classes with future lessons in a room, so that their waiting lists are tried. */
const recordFreedRooms = async (session: Session, name: string): Promise<void> => {
  const rows = await session.query(USING, session.org_id, name, session.now);
  recordFreedPlaces(session, { clazz_ids: rows.map((row) => row.clazz_id) });
};

type Change = EventData<typeof clazzEvents.roomChanged>['change'];

const ACTIONS = { created: 'create', updated: 'update', deleted: 'delete' } as const;

/** Publishes and audits the change of a room. The event omits the note, because it may be about people. */
const recordRoomChange = async (session: Session, change: Change, before: Room | null, after: Room): Promise<void> => {
  const { note: _note, ...room } = after;
  session.emit(clazzEvents.roomChanged, session.org_id, { change, room });
  const changes = changesOf(before, change === 'deleted' ? null : after);
  auditOrg(session, [{ action: ACTIONS[change], entity: 'room', entity_id: after.id, reason: null, changes }]);
  // The lessons of a renamed room already have its new name.
  const affectsSeats = before?.capacity !== after.capacity || change === 'deleted';
  if (before?.capacity != null && affectsSeats) await recordFreedRooms(session, after.name);
};

/**
 * Gives the name of a new or renamed room to its lessons that have not ended, and requires that future lessons fit into
 * a new capacity. Lessons that already have the name of a new room, in any spelling, become lessons of the room.
 * Lessons that were too large for it before do not prevent a new name, only a new capacity.
 */
const updateLessonsOfRoom = async (session: Session, before: Room | null, after: Room): Promise<void> => {
  const isRenamed = before?.name !== after.name;
  const hasNewCapacity = before?.capacity !== after.capacity;
  if (!isRenamed && (!hasNewCapacity || after.capacity === null)) return;
  const name = { from: before?.name ?? null, to: after.name };
  const texts = await lockLessonsOfRoom(session, name);
  const renamed = isRenamed ? await renameRoomInLessons(session, texts, name) : [];
  if (after.capacity !== null) await requireCapacityForFuture(session, after.name, hasNewCapacity ? [] : renamed);
};

export const createRoom: Handler<typeof roomCalls.createRoom> = async ({ body }, session) => {
  const created = { ...newRecord(session), ...RoomFields.withDefaults(body, {}) };
  await save(session, ROOM.insert, created);
  await updateLessonsOfRoom(session, null, created);
  await recordRoomChange(session, 'created', null, created);
  return created;
};

const list = pagedList({
  ...ROOM.contractColumns(Room),
  from: 'room',
  sorts: { name: { by: 'name', type: 'text' }, created_at: { by: 'created_at', type: 'timestamptz' } },
  where: {
    keyword: containsKeyword('lower(name)'),
    min_capacity: '(capacity is null or capacity >= ?)',
    // The start bounds the search, because no lesson is longer than a day. `offset 0` makes Postgres check room by
    // room.
    free: `not exists (select from lesson l where l.org_id = room.org_id and l.room = room.name and l.status <> 'cancelled'
      and l.starts_at > ?::timestamptz - interval '24 hours' and l.ends_at > ? and l.starts_at < ? offset 0)`,
  },
});

export const listRooms: Handler<typeof roomCalls.listRooms> = ({ query }, session) => list(session, query, query);

/** Rooms without a lesson between two instants. The interval is half-open. */
export const listFreeRooms: Handler<typeof roomCalls.listFreeRooms> = ({ query }, session) => {
  const { from, to, ...rest } = query;
  return list(session, rest, { ...rest, free: [from, from, to] });
};

export const getRoom: Handler<typeof roomCalls.getRoom> = async ({ path }, session) => {
  const found = await session.find(ROOM, path.id);
  if (found === undefined) throw notFound('Room');
  return found;
};

export const updateRoom: Handler<typeof roomCalls.updateRoom> = async ({ path, body }, session) => {
  const it = await lock(session, path.id);
  const answer = nextVersion({ ...it, ...RoomFields.applyPatch(it, body, {}) }, session);
  await save(session, ROOM.update, answer, it);
  await updateLessonsOfRoom(session, it, answer);
  await recordRoomChange(session, 'updated', it, answer);
  return answer;
};

export const deleteRoom: Handler<typeof roomCalls.deleteRoom> = async ({ path }, session) => {
  const it = await lock(session, path.id);
  session.remove(ROOM, it.id);
  await recordRoomChange(session, 'deleted', it, it);
  return null;
};
