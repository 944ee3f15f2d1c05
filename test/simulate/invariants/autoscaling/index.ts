import type { Rules } from '../rule.ts';
import { demand } from './demand.ts';
import { emptyNodes, servedPods } from './final.ts';
import { purchasesEnd } from './purchases.ts';
import { sizes } from './sizes.ts';

export const autoscalingRules: Rules = {
  'a pool stays within its sizes': sizes,
  'machines are bought for waiting pods only': demand,
  'purchases end': purchasesEnd,
  'every pod gets a node': servedPods,
  'no empty node stays': emptyNodes,
};
