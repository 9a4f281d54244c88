import type { ProblemCode } from '@teaching/contracts';
import { ApiError, NoAnswerError } from '@teaching/client/browser';
import { connection } from './connection.ts';
import { language, texts } from './language.ts';

interface BothTexts {
  en: string;
  zh: string;
}

/** What the person can do about each problem code. A new code without a text does not compile. */
const REMEDIES: Record<ProblemCode, BothTexts> = {
  invalid_request: {
    en: 'Something in the form is not right. Check what is marked.',
    zh: '表单中有内容不正确，请检查标出的部分。',
  },
  unauthenticated: {
    en: 'You are not logged in any more. Log in again.',
    zh: '您已退出登录，请重新登录。',
  },
  forbidden: { en: 'Your role does not allow this. Ask the office.', zh: '您的角色不允许此操作，请联系教务。' },
  not_found: {
    en: 'This does not exist, or you are not allowed to see it.',
    zh: '该内容不存在或您无权查看。',
  },
  method_not_allowed: { en: 'This page is older than the system. Load it again.', zh: '此页面版本过旧，请重新加载。' },
  request_timeout: { en: 'The connection is too slow. Try again.', zh: '网络太慢，请重试。' },
  package_published: {
    en: 'The package is published and cannot change. Make a new version.',
    zh: '课包已发布，无法修改。请新建版本。',
  },
  package_not_published: { en: 'The package is not published yet. Publish it first.', zh: '课包尚未发布，请先发布。' },
  package_empty: { en: 'The package has no items. Add one first.', zh: '课包没有内容，请先添加。' },
  package_incomplete: {
    en: 'The package has a price and no hours. Set its hours first.',
    zh: '课包有价格但没有课时，请先设置课时。',
  },
  invalid_transition: {
    en: 'Its state has changed meanwhile. Check its current state.',
    zh: '状态已经改变，请查看当前状态。',
  },
  clazz_closed: {
    en: 'The class is completed or cancelled. The office can reopen it.',
    zh: '班级已结束或取消，教务可以重新开启。',
  },
  clazz_full: {
    en: 'No seat is free. Choose another lesson, or ask the office for a larger room.',
    zh: '没有空位。请选择其他课，或请教务换大教室。',
  },
  room_too_small: {
    en: 'The room is too small for the class. Choose a larger one.',
    zh: '教室太小，请选择更大的教室。',
  },
  lesson_in_use: {
    en: 'It cannot be removed any more. Cancel it instead.',
    zh: '已无法移除，请改为取消。',
  },
  completion_blocked: {
    en: 'Some work is not finished yet. Finish the listed items first.',
    zh: '还有未完成事项，请先处理列表中的内容。',
  },
  capacity_below_enrolled: {
    en: 'More students are enrolled than that. Choose a larger capacity.',
    zh: '已报名人数超过该容量，请设置更大的容量。',
  },
  schedule_conflict: {
    en: 'It conflicts with another lesson. Choose another time, teacher or room.',
    zh: '与其他课冲突。请更换时间、教师或教室。',
  },
  leave_exists: { en: 'There is leave for this lesson already.', zh: '这节课已经请过假。' },
  leave_too_late: {
    en: 'It is too late to request leave here. Call the office.',
    zh: '已过请假截止时间，请致电教务。',
  },
  leave_quota: {
    en: 'No leave is left in these 30 days. Call the office.',
    zh: '30 天内的请假次数已用完，请致电教务。',
  },
  already_attended: {
    en: 'The roll call shows that the student was present. Correct the roll call first.',
    zh: '点名显示学员已到课，请先更正点名。',
  },
  make_up_booked: {
    en: 'A make-up lesson is booked with this leave. Undo that booking first.',
    zh: '该请假已预约补课，请先取消补课预约。',
  },
  already_attending: {
    en: 'The student has a place in this lesson already. Choose another lesson.',
    zh: '学员已在本节课的名单中，请选择其他课。',
  },
  credit_unavailable: {
    en: 'No make-up lesson is available: it was used, was withdrawn or has expired.',
    zh: '没有可用的补课机会：已使用、已撤回或已过期。',
  },
  insufficient_hours: { en: 'Not enough hours are left. The office can add some.', zh: '剩余课时不足，教务可以添加。' },
  quote_stale: { en: 'The figures have changed meanwhile. Request them again.', zh: '数据已变化，请重新查询。' },
  roll_call_too_early: {
    en: 'The lesson has not begun. Try again shortly before it starts.',
    zh: '这节课尚未开始，请在临近上课时再试。',
  },
  mark_changed: {
    en: 'Another teacher or the office has marked this student meanwhile. Check the mark and choose.',
    zh: '其他人已标记该学员，请查看后选择。',
  },
  edit_window_over: {
    en: 'The time to change this roll call is over. Ask the office, or give a reason.',
    zh: '点名修改时间已过。请联系教务或填写原因。',
  },
  claim_held: { en: 'Another teacher is marking this one. Choose another.', zh: '其他人正在批阅，请选择另一份。' },
  not_claimed: {
    en: 'You are no longer the marker of this work. Claim it again.',
    zh: '您已不再持有该批阅，请重新领取。',
  },
  not_marked: { en: 'It is not marked yet.', zh: '尚未批阅。' },
  practice_closed: { en: 'This practice accepts no more attempts.', zh: '该练习已停止提交。' },
  attempts_used_up: { en: 'No attempt is left.', zh: '提交次数已用完。' },
  cycle: { en: 'An item cannot be moved into itself. Choose another place.', zh: '不能放入自身，请选择其他位置。' },
  too_deep: { en: 'There are too many levels. Choose a higher level.', zh: '层级过深，请选择更高层级。' },
  order_mismatch: {
    en: 'The list has changed meanwhile. Load it and sort again.',
    zh: '列表已变化，请重新加载后排序。',
  },
  backfill_closed: { en: 'This day cannot be checked in any more.', zh: '该日期已不能补打卡。' },
  in_use: { en: 'It is still used elsewhere. Remove it there first.', zh: '仍在其他地方使用，请先移除。' },
  duplicate: { en: 'There is one like this already.', zh: '已存在相同内容。' },
  idempotency_in_flight: { en: 'It is still being saved. Wait a moment.', zh: '仍在保存，请稍候。' },
  version_mismatch: {
    en: 'It was changed meanwhile. Check it, then save again.',
    zh: '其他人已修改，请查看后再保存。',
  },
  payload_too_large: { en: 'The request is too large. Save in smaller parts.', zh: '内容过大，请分批保存。' },
  uri_too_long: { en: 'Too many filters at once. Choose fewer.', zh: '筛选条件过多，请减少。' },
  unsupported_media_type: {
    en: 'This page is older than the system. Load it again.',
    zh: '此页面版本过旧，请重新加载。',
  },
  idempotency_mismatch: {
    en: 'This was saved before with other data. Load the page again.',
    zh: '之前已以其他形式保存，请重新加载页面。',
  },
  rate_limited: { en: 'Too many requests. Wait a moment and try again.', zh: '请求过多，请稍后再试。' },
  headers_too_large: {
    en: 'The browser sends too much. Delete the cookies of this page.',
    zh: '浏览器发送内容过多，请清除本页 Cookie。',
  },
  internal: {
    en: 'Something went wrong in the system. Try again. If it happens again, give the office the number below.',
    zh: '系统出错。请重试；如仍失败，请将下方编号告知教务。',
  },
  unavailable: { en: 'The system is not available at the moment. Try again.', zh: '系统暂时不可用，请重试。' },
  timeout: { en: 'The answer took too long. Try again.', zh: '响应超时，请重试。' },
  outcome_unknown: {
    en: 'It may or may not be saved. Save again: it is never saved twice.',
    zh: '不确定是否已保存。请再次保存，不会重复执行。',
  },
};

const t = texts({
  noServer: { en: 'The server does not answer. Try again in a moment.', zh: '服务器没有响应，请稍后重试。' },
  noNetwork: {
    en: 'This device has no network. Check its connection and try again.',
    zh: '此设备没有网络，请检查连接后重试。',
  },
  reason: { en: 'The reason is missing or not accepted. Enter one.', zh: '缺少原因或原因不符合要求，请填写。' },
  unknown: { en: 'Something went wrong on this page. Load it again.', zh: '页面出错，请重新加载。' },
});

const isKnown = (code: string): code is ProblemCode => Object.hasOwn(REMEDIES, code);

const inChosenLanguage = ({ en, zh }: BothTexts): string => (language.value === 'en' ? en : zh);

/** What the person can do about a problem code, in the chosen language. */
export const adviceOf = (code: ProblemCode): string => inChosenLanguage(REMEDIES[code]);

/** Whether the API refuses the reason, or requires one, for example after the edit window of a lesson. */
export const isReasonRefused = (error: unknown): boolean => {
  if (!(error instanceof ApiError) || !Array.isArray(error.problem.errors)) return false;
  return error.problem.errors.some(({ path }: { path?: unknown }) => path === '/body/reason');
};

/** What the person can do about a failure, in the chosen language. */
export const remedyOf = (error: unknown): string => {
  if (isReasonRefused(error)) return t.reason;
  if (error instanceof ApiError)
    return adviceOf(isKnown(error.code) ? error.code : error.status >= 500 ? 'internal' : 'invalid_request');
  if (!(error instanceof NoAnswerError)) return t.unknown;
  return connection.value === 'no-network' ? t.noNetwork : t.noServer;
};

/** The request id, by which an operator finds the failure in the logs; undefined if there is none. */
export const requestIdOf = (error: unknown): string | undefined => {
  if (!(error instanceof ApiError) || error.status < 500) return undefined;
  const { request_id } = error.problem;
  return typeof request_id === 'string' ? request_id : undefined;
};
