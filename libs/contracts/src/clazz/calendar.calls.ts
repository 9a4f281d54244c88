import { z } from 'zod';
import { call } from '../call.ts';
import { namedChild, namedChildInBody } from '../child.ts';
import { ALL_ROLES, Instant } from '../scalars.ts';

const BASE = '/api/v1/clazz';

export const calendarCalls = {
  createCalendarFeed: call({
    id: 'clazz.calendar.create_feed',
    http: `POST ${BASE}/calendar/feed`,
    summary: 'Create the secret iCalendar address of the caller. An earlier address stops working',
    roles: ALL_ROLES,
    access: 'self',
    child: 'named',
    writes: true,
    body: z.strictObject(namedChildInBody).optional(),
    status: 201,
    output: z.object({
      url: z
        .string()
        .meta({ description: 'Path of the feed below the base URL. Any holder of the URL can read the feed' }),
    }),
  }),
  getCalendarFeedState: call({
    id: 'clazz.calendar.get_state',
    http: `GET ${BASE}/calendar/feed`,
    summary:
      'Read whether the caller has an iCalendar address. The address itself is only in the answer that created it',
    roles: ALL_ROLES,
    access: 'self',
    child: 'named',
    writes: false,
    query: namedChild,
    output: z.object({
      created_at: Instant.nullable().meta({
        description: 'Time when the address was created; `null` if there is none',
      }),
    }),
  }),
  deleteCalendarFeed: call({
    id: 'clazz.calendar.remove_feed',
    http: `DELETE ${BASE}/calendar/feed`,
    summary: 'Revoke the iCalendar address of the caller',
    roles: ALL_ROLES,
    access: 'self',
    child: 'named',
    writes: true,
    body: z.strictObject(namedChildInBody).optional(),
    status: 204,
    output: z.null(),
  }),
  getCalendarFeed: call({
    id: 'clazz.calendar.read_feed',
    http: `GET ${BASE}/calendar/{secret}.ics`,
    summary: 'Read the lessons of a person as iCalendar (RFC 5545). The secret in the path identifies the person',
    roles: 'anyone',
    writes: false,
    cost: 5,
    audited: true,
    path: { secret: z.string().max(200) },
    output: z.string(),
    other_type: 'text/calendar',
  }),
};
