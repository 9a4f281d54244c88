import { countText, texts } from '../language.ts';

/** Texts about hour accounts: balance, lots and entries. */
export const t = texts({
  hoursLeft: {
    en: (n: number): string => (n === 1 ? 'hour left' : 'hours left'),
    zh: (_n: number): string => '课时',
  },
  // The words before the number.
  beforeLeft: { en: '', zh: '剩余 ' },
  beforeOwed: { en: '', zh: '欠 ' },
  owed: { en: (n: number): string => (n === 1 ? 'hour owed' : 'hours owed'), zh: (_n: number): string => '课时' },
  expiring: {
    en: (n: string, day: string) => `${n} h expire ${day}`,
    zh: (n: string, day: string) => `${n} 课时于${day}到期`,
  },
  bought: { en: 'Hours left, by purchase', zh: '课时来源' },
  lotOf: {
    en: (left: string, of: string) => `${left} of ${of} h`,
    zh: (left: string, of: string) => `剩 ${left}/${of} 课时`,
  },
  gift: { en: 'Gift', zh: '赠送' },
  added: { en: 'Added by the office', zh: '教务添加' },
  paid: { en: 'Bought', zh: '购买' },
  lotUntil: { en: (day: string) => `until ${day}`, zh: (day: string) => `有效期至${day}` },
  lotOver: { en: (day: string) => `expired ${day}`, zh: (day: string) => `已于${day}到期` },
  noEnd: { en: 'no expiry', zh: '长期有效' },
  emptyLots: {
    en: (n: number) => `${countText(n, 'earlier grant')} with no hours left`,
    zh: (n: number) => `此前添加的 ${n} 笔课时已无剩余`,
  },
  history: { en: 'Hours history', zh: '课时明细' },
  noEntries: { en: 'Nothing yet', zh: '暂无记录' },
  after: { en: (n: string) => `${n} h left`, zh: (n: string) => `余 ${n} 课时` },
  afterOwed: { en: (n: string) => `${n} h owed`, zh: (n: string) => `欠 ${n} 课时` },
  entered: { en: (day: string) => `entered ${day}`, zh: (day: string) => `登记于${day}` },
  noLots: { en: 'No hours yet', zh: '暂无课时' },
  granted: { en: (what: string) => `Added: ${what}`, zh: (what: string) => `添加：${what}` },
  grantedPlain: { en: 'Hours added', zh: '添加课时' },
  forLesson: {
    en: (when: string, clazz: string, mark: string) => `${when}, ${clazz}: ${mark}`,
    zh: (when: string, clazz: string, mark: string) => `${when}，${clazz}：${mark}`,
  },
  lessonCancelled: { en: 'lesson cancelled', zh: '课已取消' },
  givenBack: { en: (what: string) => `Given back: ${what}`, zh: (what: string) => `退回：${what}` },
  grantUndone: { en: 'Added hours taken back', zh: '撤销添加的课时' },
  ended: { en: 'Hours expired', zh: '课时到期' },
  refunded: { en: 'Paid back', zh: '退费' },
  movedOut: { en: 'Moved to another student', zh: '转出给其他学员' },
  movedIn: { en: 'Moved from another student', zh: '由其他学员转入' },
  adjusted: { en: 'Changed by the office', zh: '教务调整' },
  settled: {
    en: (n: string) => `${n} h owed covered by hours left`,
    zh: (n: string) => `以剩余课时抵扣所欠 ${n} 课时`,
  },
  markPresent: { en: 'present', zh: '出勤' },
  markLate: { en: 'late', zh: '迟到' },
  markAbsent: { en: 'absent', zh: '缺勤' },
  markLeave: { en: 'on leave', zh: '请假' },
  markMakeup: { en: 'made up', zh: '已补' },
  markTrial: { en: 'trial', zh: '试听' },
});
