import { z } from 'zod';
import { call } from '../call.ts';
import { fields } from '../fields.ts';
import { keywordQuery, page, pageQuery, queryInt, sortQuery } from '../page.ts';
import { nonEmptyRange } from '../rules.ts';
import { ID, Instant, InstantInput, STAFF, text } from '../scalars.ts';

const BASE = '/api/v1/clazz/room';
const MOST = 100_000;

/** The fields of a room that clients set. A name has no comma, because commas separate rooms in filters. */
export const RoomFields = fields({
  name: {
    input: text(100).refine((name) => !name.includes(','), 'must not contain a comma'),
    output: z
      .string()
      .meta({ description: 'Name of the room as lessons contain it, 1 to 100 characters without comma' }),
  },
  capacity: {
    input: z.int().min(0).max(MOST),
    output: z.int().nullable().meta({ description: 'Seats for students, 0 to 100,000; `null`: no limit' }),
    default: null,
  },
  note: { input: text(1_000), output: z.string().nullable(), default: null },
});

/** A room of the organization. */
export const Room = z.object({
  id: ID,
  org_id: ID,
  ...RoomFields.output,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Room = z.output<typeof Room>;

const sorted = { ...sortQuery(['name', 'created_at'], 'name'), ...pageQuery };

export const roomCalls = {
  createRoom: call({
    id: 'clazz.room.create',
    http: `POST ${BASE}`,
    summary:
      'Create a room. Lessons that already have its name, in any spelling, get this spelling unless they have ended, and must fit',
    roles: ['SUPERVISOR'],
    writes: true,
    cost: 5,
    status: 201,
    body: z.strictObject(RoomFields.create),
    output: Room,
    errors: ['duplicate', 'schedule_conflict', 'room_too_small'],
  }),
  listRooms: call({
    id: 'clazz.room.list',
    http: `GET ${BASE}`,
    summary: 'List the rooms of the organization',
    roles: STAFF,
    access: 'all',
    writes: false,
    query: { ...keywordQuery, ...sorted },
    output: page(Room),
  }),
  listFreeRooms: call({
    id: 'clazz.room.list_free',
    http: `GET ${BASE}/free`,
    summary: 'List the rooms without a lesson in a time range',
    roles: STAFF,
    access: 'all',
    writes: false,
    query: {
      from: InstantInput,
      to: InstantInput.meta({ description: 'End of the range, not included' }),
      min_capacity: queryInt(0, MOST).optional().meta({ description: 'Minimum capacity. Rooms without a limit match' }),
      ...sorted,
    },
    query_rules: [nonEmptyRange],
    output: page(Room),
  }),
  getRoom: call({
    id: 'clazz.room.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read one room',
    roles: STAFF,
    access: 'all',
    writes: false,
    path: { id: ID },
    output: Room,
  }),
  updateRoom: call({
    id: 'clazz.room.update',
    http: `PATCH ${BASE}/{id}`,
    summary:
      'Update a room. A new name also applies to its lessons that have not ended. Future lessons must fit into a new capacity',
    roles: ['SUPERVISOR'],
    writes: true,
    cost: 5,
    path: { id: ID },
    body: z.strictObject(RoomFields.patch),
    output: Room,
    errors: ['duplicate', 'schedule_conflict', 'room_too_small', 'version_mismatch'],
  }),
  deleteRoom: call({
    id: 'clazz.room.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete a room. Lessons keep its name',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['version_mismatch'],
  }),
};
