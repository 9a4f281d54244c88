import { countText, texts } from '../shared/language.ts';

export const t = texts({
  today: { en: 'Today', zh: '今天' },
  date: { en: 'Date', zh: '日期' },
  dayBefore: { en: 'Day before', zh: '前一天' },
  dayAfter: { en: 'Day after', zh: '后一天' },
  summary: { en: 'At a glance', zh: '概览' },

  lessons: { en: 'Lessons', zh: '课' },
  now: { en: 'Now', zh: '正在上课' },
  next: { en: 'Next', zh: '接下来' },
  later: { en: 'Later', zh: '稍后' },
  earlier: { en: 'Earlier', zh: '已结束' },
  wholeDay: { en: 'Lessons of the day', zh: '当天的课' },
  noLessons: { en: 'No lessons on this day', zh: '当天没有课' },
  noLessonsWhy: { en: 'Choose another day, or schedule lessons.', zh: '可查看其他日期，或安排新课。' },
  toTimetable: { en: 'To the timetable', zh: '前往课表' },
  noneNow: { en: 'There is no lesson now.', zh: '现在没有课。' },
  minutesLeft: { en: (n: number) => `${n} min left`, zh: (n: number) => `还剩 ${n} 分钟` },
  noRoom: { en: 'no room', zh: '未定教室' },
  students: { en: (n: number) => countText(n, 'student'), zh: (n: number) => `${n} 名学员` },

  notMarked: { en: 'No roll call yet', zh: '尚未点名' },
  missing: { en: 'Roll call missing', zh: '未点名' },
  someMarked: {
    en: (n: number, of: number) => `${n} of ${of} marked`,
    zh: (n: number, of: number) => `已点 ${n}/${of}`,
  },
  done: { en: 'Roll call done', zh: '已点名' },
  presentOf: {
    en: (n: number, of: number) => `${n} of ${of} present`,
    zh: (n: number, of: number) => `到课 ${n}/${of}`,
  },

  rollCalls: { en: 'Open roll calls', zh: '待点名' },
  noRollCalls: { en: 'No roll call is open.', zh: '没有待点名的课。' },
  overSince: { en: (since: string) => `ended ${since}`, zh: (since: string) => `${since}下课` },

  leaveToDecide: { en: 'Leave to decide', zh: '待批请假' },
  leaveShown: { en: 'Leave shown', zh: '显示的请假' },
  toDecide: { en: 'To decide', zh: '待批' },
  approvedOnly: { en: 'Approved', zh: '已批准' },
  approvedLeave: { en: 'Approved leave', zh: '已批准的请假' },
  noApprovedLeave: { en: 'No leave is approved from today on.', zh: '今天起没有已批准的请假。' },
  showApproved: { en: 'Show approved leave', zh: '查看已批准的请假' },
  approvedAtOnce: { en: 'Approved automatically', zh: '自动批准' },
  decidedBy: { en: (name: string) => `Decided by ${name}`, zh: (name: string) => `由${name}处理` },
  because: { en: (reason: string) => `: ${reason}`, zh: (reason: string) => `：${reason}` },
  reopen: { en: 'Reopen', zh: '重新审批' },
  reopenWhom: {
    en: (name: string) => `Reopen the decision about ${name}`,
    zh: (name: string) => `重新审批${name}的请假`,
  },
  reopenFor: {
    en: (lesson: string) => `Reopen the decision: ${lesson}`,
    zh: (lesson: string) => `重新审批：${lesson}`,
  },
  reopened: {
    en: (name: string) => `The leave of ${name} is to be decided again`,
    zh: (name: string) => `${name}的请假已恢复为待批`,
  },
  noLeave: { en: 'No leave requests to decide.', zh: '没有待批的请假。' },
  approve: { en: 'Approve', zh: '批准' },
  reject: { en: 'Reject', zh: '驳回' },
  approveWhom: { en: (name: string) => `Approve the leave of ${name}`, zh: (name: string) => `批准${name}的请假` },
  rejectWhom: { en: (name: string) => `Reject the leave of ${name}`, zh: (name: string) => `驳回${name}的请假` },
  approved: { en: (name: string) => `Leave of ${name} approved`, zh: (name: string) => `已批准${name}的请假` },
  rejected: { en: (name: string) => `Leave of ${name} rejected`, zh: (name: string) => `已驳回${name}的请假` },
  addNote: { en: 'Add a note', zh: '添加备注' },
  addNoteFor: {
    en: (name: string) => `Add a note to the approval for ${name}`,
    zh: (name: string) => `添加备注并批准${name}的请假`,
  },
  decisionReason: {
    en: 'Reason (shown to the person who asked)',
    zh: '原因（申请人可见）',
  },
  requiredReason: {
    en: 'Reason (required; shown to the person who asked)',
    zh: '原因（必填，申请人可见）',
  },
  approveAnyway: { en: 'Approve anyway', zh: '仍然批准' },
  charges: { en: (hours: string) => `charges ${hours} h`, zh: (hours: string) => `扣 ${hours} 课时` },
  chargesNone: { en: 'charges nothing', zh: '不扣课时' },
  askedLate: { en: 'after the deadline', zh: '超过截止时间申请' },
  quota: {
    en: (used: number, limit: number) => `${used} of ${limit} leaves in 30 days`,
    zh: (used: number, limit: number) => `30 天内请假 ${used} 次，上限 ${limit} 次`,
  },
  quotaNone: {
    en: (used: number) => `${countText(used, 'leave')} in 30 days`,
    zh: (used: number) => `30 天内请假 ${used} 次`,
  },

  hoursPart: { en: 'Hours', zh: '课时' },
  leavePart: { en: 'Leave', zh: '请假' },
  studentParts: { en: 'Shown', zh: '显示内容' },
  comingLessons: {
    en: (weeks: number) => `Lessons of the next ${weeks} weeks`,
    zh: (weeks: number) => `未来 ${weeks} 周的课`,
  },
  pastLessons: {
    en: (days: number) => `Lessons of the last ${days} days`,
    zh: (days: number) => `过去 ${days} 天的课`,
  },
  noStudentLessons: {
    en: (weeks: number) => `No lessons in the next ${weeks} weeks`,
    zh: (weeks: number) => `未来 ${weeks} 周没有课`,
  },
  makeUpLesson: { en: 'Make-up lesson', zh: '补课' },
  leavePending: { en: 'Leave to decide', zh: '请假待批' },
  leaveApproved: { en: 'On leave', zh: '已请假' },
  leaveRejected: { en: 'Leave rejected', zh: '请假已驳回' },
  enterLeave: { en: 'Enter leave', zh: '登记请假' },
  enterLeaveFor: { en: (lesson: string) => `Enter leave: ${lesson}`, zh: (lesson: string) => `登记请假：${lesson}` },
  withdrawLeave: { en: 'Withdraw', zh: '撤回' },
  withdrawLeaveFor: {
    en: (lesson: string) => `Withdraw the leave: ${lesson}`,
    zh: (lesson: string) => `撤回请假：${lesson}`,
  },
  withdrawWhat: { en: 'The student is expected at the lesson again.', zh: '撤回后，学员需照常上课。' },
  withdrawWithCredit: {
    en: 'The student is expected at the lesson again, and cannot make it up.',
    zh: '撤回后，学员需照常上课，补课资格随之取消。',
  },
  leaveReason: { en: 'Reason of the student', zh: '学员请假原因' },
  calledAt: { en: 'Time of the phone call (optional)', zh: '来电时间（可选）' },
  calledAtHint: {
    en: (deadline: string) => `In time with a call until ${deadline}`,
    zh: (deadline: string) => `${deadline} 前来电，视为按时申请`,
  },
  overDeadline: {
    en: 'Why leave is accepted after the deadline (kept in the log)',
    zh: '超过截止时间仍接受的原因（记入日志）',
  },
  overQuota: {
    en: 'Why leave is accepted beyond the limit (kept in the log)',
    zh: '超过次数上限仍接受的原因（记入日志）',
  },
  rollCall: { en: 'Roll call', zh: '点名' },
  attendedWhy: {
    en: 'Why leave is approved although the student attended (shown to the person who asked)',
    zh: '学员已到课仍批准请假的原因（申请人可见）',
  },
  windowOverWhy: {
    en: 'Why leave is approved after the edit window (shown to the person who asked)',
    zh: '点名修改时间已过，仍批准请假的原因（申请人可见）',
  },
  entryStays: {
    en: 'The lesson has begun, so this leave cannot be withdrawn here.',
    zh: '课已开始，登记的请假无法在此撤回。',
  },
  enterAndApprove: { en: 'Enter and approve', zh: '登记并批准' },
  entered: {
    en: (name: string, hours: string) => `Leave of ${name} entered and approved; it charges ${hours} h`,
    zh: (name: string, hours: string) => `已登记并批准${name}的请假，扣 ${hours} 课时`,
  },
  enteredOnly: {
    en: (name: string) => `Leave of ${name} is entered, but not approved. See “Leave to decide”.`,
    zh: (name: string) => `已登记${name}的请假，但未批准，请在“待批请假”中处理。`,
  },
  withdrawn: { en: (name: string) => `Leave of ${name} withdrawn`, zh: (name: string) => `已撤回${name}的请假` },

  low: { en: 'Low on hours', zh: '课时不足' },
  noLow: {
    en: (hours: string) => `No student has less than ${hours} h.`,
    zh: (hours: string) => `没有学员少于 ${hours} 课时。`,
  },
  hoursOf: { en: (hours: string) => `${hours} h`, zh: (hours: string) => `${hours} 课时` },
  below: { en: 'Less than', zh: '少于' },
  owes: { en: (hours: string) => `owes ${hours} h`, zh: (hours: string) => `欠 ${hours} 课时` },
  left: { en: (hours: string) => `${hours} h left`, zh: (hours: string) => `剩余 ${hours} 课时` },

  expiring: { en: 'Hours expiring', zh: '课时将到期' },
  noExpiring: {
    en: (days: number) => `No hours expire within ${countText(days, 'day')}.`,
    zh: (days: number) => `${days} 天内没有课时到期。`,
  },
  within: { en: 'Within', zh: '期限' },
  days: { en: (n: number) => countText(n, 'day'), zh: (n: number) => `${n} 天` },
  expires: { en: (day: string) => `first on ${day}`, zh: (day: string) => `最早 ${day}` },
  willExpire: { en: (hours: string) => `${hours} h expire`, zh: (hours: string) => `${hours} 课时将到期` },

  clashes: { en: 'Accepted conflicts', zh: '已忽略的冲突' },
  noClashes: {
    en: (from: string, to: string) => `No lessons conflict from ${from} to ${to}.`,
    zh: (from: string, to: string) => `${from}至${to}没有冲突的课。`,
  },
  sameTeacher: { en: (name: string) => `${name} teaches both`, zh: (name: string) => `${name}同时上两节课` },
  sameRoom: { en: (room: string) => `both in ${room}`, zh: (room: string) => `同在${room}` },

  allOf: { en: (n: number) => `Show all ${n}`, zh: (n: number) => `显示全部 ${n} 项` },

  nothing: { en: 'Nothing to do', zh: '没有待办事项' },
  nothingWhy: {
    en: 'No roll call is open, all leave is decided, and no hours run out.',
    zh: '没有待点名的课，请假均已处理，课时均充足。',
  },

  until: { en: (day: string) => `until ${day}`, zh: (day: string) => `${day} 到期` },
  findStudent: { en: 'Find a student', zh: '查找学员' },
  name: { en: 'Name', zh: '姓名' },
  noneFound: { en: 'No student has this name', zh: '没有找到该学员' },
  moreFound: { en: 'There are more. Type more of the name.', zh: '还有更多结果，请输入更完整的姓名。' },
  noLotsWhy: { en: 'Grant hours below.', zh: '可在下方添加课时。' },
  forEver: { en: 'no expiry', zh: '长期有效' },
  grant: { en: 'Grant hours', zh: '添加课时' },
  hours: { en: 'Hours', zh: '课时数' },
  package: { en: 'Package', zh: '课包' },
  noPackage: { en: 'None', zh: '不选' },
  price: { en: (currency: string) => `Price (${currency})`, zh: (currency: string) => `价格（${currency}）` },
  priceHint: { en: 'Empty: price of the package in proportion', zh: '留空则按课包价格和课时比例' },
  expiresOn: { en: 'Valid until', zh: '有效期至' },
  expiryHint: { en: 'Empty: expiry of the package, else no expiry', zh: '留空则按课包规定，否则长期有效' },
  grantFor: {
    en: (hours: string, price: string | null) => `Grant ${hours} h${price === null ? '' : ` for ${price}`}`,
    zh: (hours: string, price: string | null) => `添加 ${hours} 课时${price === null ? '' : `，${price}`}`,
  },
  coversDebt: {
    en: (covered: string, owed: string) =>
      owed === '0' ? `covers ${covered} h owed` : `covers ${covered} h owed; ${owed} h stay owed`,
    zh: (covered: string, owed: string) =>
      owed === '0' ? `抵扣所欠 ${covered} 课时` : `抵扣所欠 ${covered} 课时，仍欠 ${owed} 课时`,
  },
  undoGrant: { en: 'Undo the grant', zh: '撤销添加' },
  undoGrantWhat: {
    en: (hours: string) => `${hours} h are removed again.`,
    zh: (hours: string) => `将撤销 ${hours} 课时。`,
  },
  undoSaleWhat: {
    en: (hours: string, price: string) =>
      `${hours} h are removed again, and ${price} are booked as a refund with a receipt.`,
    zh: (hours: string, price: string) => `将撤销 ${hours} 课时，并登记退款 ${price}（含凭证）。`,
  },
  grantUndone: { en: 'The grant is undone', zh: '已撤销添加' },
  grantUsed: {
    en: 'Hours of this grant were used, moved or refunded, or have expired. It cannot be undone.',
    zh: '该课时已被使用、转出、退费或到期，无法撤销。',
  },
  withoutPackage: { en: 'Without a package', zh: '不含课包' },
  withoutPrice: { en: 'without a price', zh: '无价格' },
  granted: {
    en: (hours: string, name: string, price: string | null, title: string | null) =>
      `${hours} h granted to ${name}${price === null ? '' : ` for ${price}`}${title === null ? '' : ` (${title})`}`,
    zh: (hours: string, name: string, price: string | null, title: string | null) =>
      `已为${name}添加 ${hours} 课时${price === null ? '' : `，${price}`}${title === null ? '' : `（${title}）`}`,
  },
});
