import { z } from 'zod';
import { call } from '../call.ts';
import { namedChildInBody } from '../child.ts';
import { ALL_ROLES } from '../scalars.ts';

const BASE = '/api/v1/clazz';

export const calendarCalls = {
  createCalendarFeed: call({
    id: 'clazz.calendar.create_feed',
    http: `POST ${BASE}/calendar/feed`,
    summary: 'Create the secret iCalendar address of the caller. An earlier address stops working',
    who: ALL_ROLES,
    whose: 'self',
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
  deleteCalendarFeed: call({
    id: 'clazz.calendar.remove_feed',
    http: `DELETE ${BASE}/calendar/feed`,
    summary: 'Revoke the iCalendar address of the caller',
    who: ALL_ROLES,
    whose: 'self',
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
    who: 'anyone',
    writes: false,
    cost: 5,
    audited: true,
    path: { secret: z.string().max(200) },
    output: z.string(),
    also: 'text/calendar',
  }),
};
