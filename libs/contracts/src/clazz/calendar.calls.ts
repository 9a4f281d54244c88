import { z } from 'zod';
import { call } from '../call.ts';
import { namedChildInBody } from '../child.ts';
import { ALL_ROLES } from '../scalars.ts';

const BASE = '/api/v1/clazz';

export const calendarCalls = {
  createCalendarFeed: call({
    id: 'clazz.calendar.create_feed',
    http: `POST ${BASE}/calendar/feed`,
    summary: "Make the caller's secret iCalendar address; an earlier one stops working",
    who: ALL_ROLES,
    whose: 'self',
    child: 'named',
    writes: true,
    body: z.strictObject(namedChildInBody).optional(),
    status: 201,
    output: z.object({ url: z.string().meta({ description: 'Below the base URL; whoever has it can read the feed' }) }),
  }),
  deleteCalendarFeed: call({
    id: 'clazz.calendar.remove_feed',
    http: `DELETE ${BASE}/calendar/feed`,
    summary: "Revoke the caller's iCalendar address",
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
    summary: 'Lessons of the person the secret belongs to, as iCalendar (RFC 5545)',
    who: 'anyone',
    writes: false,
    cost: 5,
    audited: true,
    path: { secret: z.string().max(200) },
    output: z.string(),
    also: 'text/calendar',
  }),
};
