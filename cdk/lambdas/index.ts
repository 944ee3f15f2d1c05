// Written by `npm run registry`.

import { api } from './api.ts';
import { auditWebhook } from './audit-webhook.ts';
import { dispatch } from './dispatch.ts';
import { executions } from './executions.ts';
import { guard } from './guard.ts';
import { instances } from './instances.ts';
import type { Lambda } from './lambda.ts';
import type { FunctionName } from './names.ts';
import { operate } from './operate.ts';
import { reconcileAws } from './reconcile-aws.ts';
import { reconcileCore } from './reconcile-core.ts';
import { reconcileGc } from './reconcile-gc.ts';
import { reconcileWorkload } from './reconcile-workload.ts';
import { sweep } from './sweep.ts';
import { watch } from './watch.ts';

/** Every deployed function. */
export const lambdas: Readonly<Record<FunctionName, Lambda>> = {
  api: api,
  'audit-webhook': auditWebhook,
  dispatch: dispatch,
  executions: executions,
  guard: guard,
  instances: instances,
  operate: operate,
  'reconcile-aws': reconcileAws,
  'reconcile-core': reconcileCore,
  'reconcile-gc': reconcileGc,
  'reconcile-workload': reconcileWorkload,
  sweep: sweep,
  watch: watch,
};
