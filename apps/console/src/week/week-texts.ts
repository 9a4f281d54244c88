import { countText, texts } from '../shared/language.ts';
import { LESSON_TEXTS } from '../shared/lesson-texts.ts';

export const t = texts({
  ...LESSON_TEXTS,
  title: { en: 'My week', zh: '我的一周' },
  dayAndTimes: {
    en: (day: string, times: string) => `${day}, ${times}`,
    zh: (day: string, times: string) => `${day} ${times}`,
  },
  previous: { en: 'Previous week', zh: '上一周' },
  next: { en: 'Next week', zh: '下一周' },
  thisWeek: { en: 'This week', zh: '本周' },
  now: { en: 'Now', zh: '正在上课' },
  soon: { en: 'Next', zh: '下一节' },
  until: { en: (n: number) => `${n} min left`, zh: (n: number) => `还剩 ${n} 分钟` },
  rollCall: { en: 'Roll call', zh: '点名' },
  whoComes: { en: 'See students', zh: '查看名单' },
  look: { en: 'View roll call', zh: '查看点名' },
  rollCallOf: {
    en: (action: string, name: string, when: string) => `${action}: ${name}, ${when}`,
    zh: (action: string, name: string, when: string) => `${action}：${name}，${when}`,
  },
  missing: { en: 'Roll calls missing', zh: '未完成的点名' },
  missingOver: {
    en: (n: number) => `${countText(n, 'roll call')}: only the office can take ${n === 1 ? 'it' : 'them'} now`,
    zh: (n: number) => `${n} 次点名已截止，仅教务可补`,
  },
  missingCount: { en: (n: number) => `${countText(n, 'student')} not marked`, zh: (n: number) => `${n} 名学员未点名` },
  incomplete: { en: (n: number) => `${n} not marked`, zh: (n: number) => `${n} 人未点名` },
  done: {
    en: (here: number, of: number) => `${here} of ${of} present`,
    zh: (here: number, of: number) => `出勤 ${here}/${of}`,
  },
  doneAlone: { en: 'Taken', zh: '已点名' },
  isMissing: { en: 'Roll call missing', zh: '未点名' },
  students: { en: (n: number) => countText(n, 'student'), zh: (n: number) => `${n} 名学员` },
  substitute: { en: 'You substitute', zh: '代课' },
  substituteFor: { en: (who: string) => `You substitute for ${who}`, zh: (who: string) => `代${who}上课` },
  assistant: { en: (who: string) => `You assist ${who}`, zh: (who: string) => `协助${who}` },
  assistantOfSubstitute: {
    en: (who: string, lead: string) => `You assist ${who}, substitute for ${lead}`,
    zh: (who: string, lead: string) => `协助${who}（代${lead}上课）`,
  },
  movedFrom: { en: (when: string) => `moved from ${when}`, zh: (when: string) => `原定${when}` },
  roomWas: { en: (room: string) => `was in ${room}`, zh: (room: string) => `原教室${room}` },
  roomNew: { en: 'had no room', zh: '原未定教室' },
  changed: { en: 'changed recently', zh: '近期有变动' },
  cancelledWhy: { en: (why: string) => `Cancelled: ${why}`, zh: (why: string) => `已取消：${why}` },
  homeworkIs: { en: (text: string) => `Homework: ${text}`, zh: (text: string) => `作业：${text}` },
  addTopic: { en: 'Topic and homework', zh: '主题和作业' },
  nowThere: { en: (text: string) => `Current text: ${text}`, zh: (text: string) => `现在的内容：${text}` },
  savedTopic: { en: 'Topic and homework saved', zh: '主题和作业已保存' },
  free: { en: 'No lessons', zh: '没有课' },
  freeToday: { en: 'No lessons today', zh: '今天没有课' },
  freeTodayWhy: { en: 'You can prepare the next lessons.', zh: '好好休息，或提前备课。' },
  freeWeek: { en: 'No lessons in this week', zh: '这一周没有课' },
  earlier: { en: 'Earlier this week', zh: '本周前几天' },
  waiting: {
    en: (n: number) =>
      `${countText(n, 'mark')} not sent yet. ${n === 1 ? 'It is' : 'They are'} saved on this device and sent later.`,
    zh: (n: number) => `有 ${n} 条点名保存在本机，等待发送。`,
  },
  refused: {
    en: (n: number) => `${countText(n, 'mark')} could not be saved. Open the roll call to decide.`,
    zh: (n: number) => `有 ${n} 条点名未能保存，请打开点名处理。`,
  },
  open: { en: 'Open', zh: '打开' },
  keptSince: {
    en: (when: string) => `You see the week as of ${when}.`,
    zh: (when: string) => `显示的是${when}的内容。`,
  },
});
