// Written by `npm run registry`.

export const functionNames = [
  'api',
  'audit-webhook',
  'dispatch',
  'executions',
  'guard',
  'instances',
  'operate',
  'reconcile-aws',
  'reconcile-core',
  'reconcile-gc',
  'reconcile-workload',
  'sweep',
  'watch',
] as const;
export type FunctionName = (typeof functionNames)[number];
