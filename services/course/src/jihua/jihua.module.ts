import { jihuaCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { putJihuaStudents } from './jihua-students.ts';
import { createJihua, deleteJihua, getJihua, listJihua, updateJihua } from './jihua.calls.ts';

export const jihuaModule = {
  routes: routes(jihuaCalls, { createJihua, listJihua, getJihua, updateJihua, deleteJihua, putJihuaStudents }),
};
