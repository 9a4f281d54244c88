import { texts } from './language.ts';

/** Texts that several screens use. */
export const common = texts({
  again: { en: 'Try again', zh: '重试' },
  cancel: { en: 'Cancel', zh: '取消' },
  close: { en: 'Close', zh: '关闭' },
  save: { en: 'Save', zh: '保存' },
  undo: { en: 'Undo', zh: '撤销' },
  more: { en: 'Show more', zh: '显示更多' },
  loading: { en: 'Loading', zh: '加载中' },
  today: { en: 'Today', zh: '今天' },
  notListed: { en: 'not in the directory', zh: '未登记' },
  labelled: {
    en: (label: string, value: string) => `${label}: ${value}`,
    zh: (label: string, value: string) => `${label}：${value}`,
  },
  support: { en: (id: string) => `Number for the office: ${id}`, zh: (id: string) => `错误编号：${id}` },
  hours: { en: (n: string) => `${n} h`, zh: (n: string) => `${n} 课时` },
  present: { en: 'Present', zh: '出勤' },
  late: { en: 'Late', zh: '迟到' },
  absent: { en: 'Absent', zh: '缺勤' },
  leave: { en: 'On leave', zh: '请假' },
  makeup: { en: 'Made up', zh: '已补' },
  trial: { en: 'Trial', zh: '试听' },
  unmarked: { en: 'Not marked', zh: '未点名' },
  cancelled: { en: 'Cancelled', zh: '已取消' },
  room: { en: 'Room', zh: '教室' },
  teacher: { en: 'Teacher', zh: '教师' },
  substituteFor: { en: (name: string) => `Substitute for ${name}`, zh: (name: string) => `代${name}上课` },
  student: { en: 'Student', zh: '学员' },
  class: { en: 'Class', zh: '班级' },
});
