import { expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { warnOfReplicas } from './warn.ts';

const sizes = { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '6' };
const deployment = (replicas: number, annotations: Record<string, string> = sizes) =>
  ({ kind: 'MachineDeployment', metadata: { name: 'git', annotations }, spec: { replicas } }) as unknown as KubeObject;
const plan = { kind: 'ScalingPlan', metadata: { name: 'c' }, spec: { pools: [{ name: 'git', min: 0, max: 6 }] } };
const warned = (from: KubeObject | undefined, to: KubeObject, more: object) =>
  warnOfReplicas(to, { old: from, user: { username: 'argo' }, ...more } as unknown as Admission).length;

it.each<{
  rule: string;
  from?: KubeObject;
  to: KubeObject;
  byController?: boolean;
  related?: object[];
  warnings: number;
}>([
  { rule: 'that takes back what the autoscaler set', from: deployment(3), to: deployment(1), warnings: 1 },
  { rule: 'of the autoscaler', from: deployment(3), to: deployment(1), byController: true, warnings: 0 },
  { rule: 'of a pool of the plan', from: deployment(3, {}), to: deployment(1, {}), related: [plan], warnings: 1 },
  { rule: 'that creates a pool', to: deployment(1), warnings: 0 },
  { rule: 'of no pool', from: deployment(3, {}), to: deployment(1, {}), warnings: 0 },
  { rule: 'to more replicas', from: deployment(3), to: deployment(5), warnings: 0 },
  {
    rule: 'to what the same user set',
    from: deployment(3, { ...sizes, 'capstan.dev/replicas-set-by': 'argo' }),
    to: deployment(1),
    warnings: 0,
  },
])('a change $rule gets $warnings warnings', ({ from, to, warnings, ...more }) =>
  expect(warned(from, to, more)).toBe(warnings));
