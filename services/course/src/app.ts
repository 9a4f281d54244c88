import type { App } from '@teaching/kit';
import { categoryModule } from './category/category.module.ts';
import { courseModule } from './course/course.module.ts';
import { dakaModule } from './daka/daka.module.ts';
import { migrations } from './db/migrations.ts';
import { directoryModule } from './directory/directory.module.ts';
import { groupModule } from './group/group.module.ts';
import { jihuaModule } from './jihua/jihua.module.ts';
import { lianxiModule } from './lianxi/lianxi.module.ts';
import { piyueModule } from './piyue/piyue.module.ts';
import { referenceModule } from './reference/reference.module.ts';

/** The course service: its modules and its migrations. */
export const app: App = {
  name: 'course',
  modules: [
    categoryModule,
    courseModule,
    groupModule,
    directoryModule,
    lianxiModule,
    piyueModule,
    jihuaModule,
    dakaModule,
    referenceModule,
  ],
  follower: directoryModule.follower,
  migrations,
};
