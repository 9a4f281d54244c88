import { closureCalls, holidayCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { listHolidays } from '../schedule/holiday-list.ts';
import { createClosure } from './create-closure.ts';
import { putHolidays } from './put-holidays.ts';

/** Closures and holidays: times without lessons. */
export const closureModule: Module = {
  routes: [...routes(closureCalls, { createClosure }), ...routes(holidayCalls, { putHolidays, listHolidays })],
};
