import { dakaCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { listDaka, putDaka } from './daka.calls.ts';
import { getDakaStreak } from './get-daka-streak.ts';

export const dakaModule = { routes: routes(dakaCalls, { putDaka, listDaka, getDakaStreak }) };
