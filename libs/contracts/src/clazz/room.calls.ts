import { z } from 'zod';
import { call } from '../call.ts';
import { fields } from '../fields.ts';
import { keywordQuery, page, pageQuery, queryInt, sortQuery } from '../page.ts';
import { ID, Instant, InstantInput, STAFF, text } from '../scalars.ts';

const BASE = '/api/v1/clazz/room';
const MOST = 100_000;

/** What may be set on a room. A comma separates several rooms in filters, so no name has one. */
export const RoomFields = fields({
  name: {
    input: text(100).refine((name) => !name.includes(','), 'must not contain a comma'),
    output: z.string().meta({ description: 'As lessons name it' }),
  },
  capacity: {
    input: z.int().min(0).max(MOST),
    output: z.int().nullable().meta({ description: 'How many students it holds; `null` is without limit' }),
    standard: null,
  },
  note: { input: text(1_000), output: z.string().nullable(), standard: null },
});

/** A room of the org's list. */
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
    summary: 'Put a room on the list; its capacity then bounds the lessons in it',
    who: ['SUPERVISOR'],
    writes: true,
    status: 201,
    body: z.strictObject(RoomFields.create),
    output: Room,
    errors: ['duplicate'],
  }),
  listRooms: call({
    id: 'clazz.room.list',
    http: `GET ${BASE}`,
    summary: 'Rooms of the org',
    who: STAFF,
    whose: 'all',
    writes: false,
    query: { ...keywordQuery, ...sorted },
    output: page(Room),
  }),
  listFreeRooms: call({
    id: 'clazz.room.list_free',
    http: `GET ${BASE}/free`,
    summary: 'Rooms on the list without a lesson between two instants',
    who: STAFF,
    whose: 'all',
    writes: false,
    query: {
      from: InstantInput,
      to: InstantInput.meta({ description: 'Not included: a lesson may begin then' }),
      min_capacity: queryInt(0, MOST).optional().meta({ description: 'Rooms without a limit are large enough' }),
      ...sorted,
    },
    output: page(Room),
  }),
  getRoom: call({
    id: 'clazz.room.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read one room',
    who: STAFF,
    whose: 'all',
    writes: false,
    path: { id: ID },
    output: Room,
  }),
  updateRoom: call({
    id: 'clazz.room.update',
    http: `PATCH ${BASE}/{id}`,
    summary:
      'Change a room; lessons keep the name they have, and what is planned stays where less capacity would not do',
    who: ['SUPERVISOR'],
    writes: true,
    path: { id: ID },
    body: z.strictObject(RoomFields.patch),
    output: Room,
    errors: ['duplicate', 'version_mismatch'],
  }),
  deleteRoom: call({
    id: 'clazz.room.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Take a room off the list; lessons in it keep its name',
    who: ['SUPERVISOR'],
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['version_mismatch'],
  }),
};
