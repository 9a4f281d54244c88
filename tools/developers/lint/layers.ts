/**
 * The layers of each package, from the top down. A layer may import lower ones, so there are no cycles. Layers on one level do not
 * import each other. Files at the top of a package may import all.
 */
export const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'libs/kit/src': [['ops'], ['log'], ['rpc'], ['db'], ['telemetry', 'base']],
  'services/gateway/src': [['session', 'console', 'changes', 'docs'], ['http'], ['auth', 'limits', 'negotiate']],
  'services/clazz/src': [
    ['db'],
    ['clazz', 'closure', 'directory', 'room'],
    ['people'],
    ['schedule'],
    ['attendance'],
    ['cascade'],
    ['hours'],
    ['reference', 'refusal'],
    ['record'],
    ['policy'],
    ['audit'],
  ],
  'services/course/src': [
    ['piyue'],
    ['lianxi'],
    ['group'],
    ['course', 'category', 'daka'],
    ['jihua', 'directory', 'reference'],
    ['db'],
  ],
  'services/package/src': [['version'], ['item'], ['package'], ['reference'], ['db']],
  'services/stats/src': [['answers', 'generations'], ['records'], ['figures'], ['range', 'db']],
};
