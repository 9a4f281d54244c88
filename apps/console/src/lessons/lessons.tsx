import './lessons.css';
import { useState } from 'preact/hooks';
import { Page } from '../frame/page.tsx';
import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import { dayTime, fromNow, localDay } from '../shared/format.ts';
import { Icon } from '../shared/parts/icon.tsx';
import { Empty } from '../shared/parts/message.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { me } from '../shared/session.ts';
import { ALL_CHILDREN, childrenOf, useChild } from './child.ts';
import type { Child } from './child.rules.ts';
import { nextOf } from './lesson-days.rules.ts';
import { FeedDialog } from './feed-dialog.tsx';
import { FamilyHome } from './family-home.tsx';
import { useLessons } from './family-lessons.state.ts';
import { HoursOf } from './hours.tsx';
import { LeaveOf } from './leave.tsx';
import { PracticeOf } from './practice.tsx';
import { t } from './family-texts.ts';

const TABS = ['lessons', 'leave', 'hours', 'practice'] as const;
type Tab = (typeof TABS)[number];

const nameOf = (tab: Tab): string =>
  ({ lessons: t.tabLessons, leave: t.tabLeave, hours: t.tabHours, practice: t.tabPractice })[tab];

const NextLesson = ({ children }: { children: readonly Child[] }) => {
  const { value } = useLessons(children, false).query.data;
  const next = nextOf(value?.lessons ?? [], now.value);
  if (next === undefined) return <>{value === undefined ? '\u00a0' : t.noNext(localDay(value.last))}</>;
  const { child, lesson } = next;
  const what = children.length > 1 ? t.pair(child.name, lesson.clazz_name) : lesson.clazz_name;
  if (Date.parse(lesson.starts_at) <= now.value) return <>{common.labelled(t.now, what)}</>;
  return <>{t.next(what, t.bracketed(dayTime(lesson.starts_at), fromNow(lesson.starts_at, now.value)))}</>;
};

const Tabs = ({ tab }: { tab: Tab }) => {
  const { address } = useAddress();
  return (
    <nav class="tabs" aria-label={t.parts}>
      {TABS.map((item) => (
        <a
          key={item}
          href={address({ tab: item === 'lessons' ? null : item, when: null, practice: null })}
          aria-current={item === tab ? 'page' : undefined}
        >
          {nameOf(item)}
        </a>
      ))}
    </nav>
  );
};

const Content = ({ tab, children }: { tab: Tab; children: readonly Child[] }) => {
  if (tab === 'lessons') return <FamilyHome key={children.map(({ id }) => id).join()} children={children} />;
  const TabContent = { leave: LeaveOf, hours: HoursOf, practice: PracticeOf }[tab];
  return (
    <div class="parts">
      {children.map((child) => (
        <TabContent key={child.id} child={child} isNamed={children.length > 1} />
      ))}
    </div>
  );
};

/** The screen of students and guardians: lessons, leave, hours and practice. */
const Lessons = () => {
  const all = me.value === undefined ? [] : childrenOf(me.value);
  const { shown, value, choose } = useChild(all);
  const { query } = useAddress();
  const [isFeedOpen, setFeedOpen] = useState(false);
  const tab = TABS.find((known) => known === query['tab']) ?? 'lessons';
  const title = all.some(({ isSelf }) => isSelf) ? t.title : t.ofChildren;
  if (all.length === 0)
    return (
      <Page title={title}>
        <Empty title={t.noChild}>{t.noChildWhy}</Empty>
      </Page>
    );
  return (
    <Page
      title={title}
      subtitle={<NextLesson children={shown} />}
      actions={
        <button type="button" class="button" aria-haspopup="dialog" onClick={() => setFeedOpen(true)}>
          <Icon name="calendar" />
          {t.calendar}
        </button>
      }
    >
      {all.length > 1 && (
        <div class="whose">
          <Segments
            label={t.showLessonsOf}
            value={value}
            options={[[ALL_CHILDREN, t.all] as const, ...all.map(({ id, name }) => [id, name] as const)]}
            onChange={choose}
          />
        </div>
      )}
      <Tabs tab={tab} />
      <Content tab={tab} children={shown} />
      {isFeedOpen && <FeedDialog children={shown} onClose={() => setFeedOpen(false)} />}
    </Page>
  );
};
export default Lessons;
