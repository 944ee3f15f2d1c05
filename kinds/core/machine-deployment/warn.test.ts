import { expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { warnOfReplicas } from './warn.ts';

const sizes = { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '6' };
const deployment = (replicas: number, annotations: Record<string, string> = sizes) =>
  ({ kind: 'MachineDeployment', metadata: { name: 'git', annotations }, spec: { replicas } }) as unknown as KubeObject;
const warned = (from: KubeObject | undefined, to: KubeObject, byController = false) =>
  warnOfReplicas(to, { old: from, user: { username: 'argo' }, byController } as unknown as Admission).length;

it.each<{ rule: string; from?: KubeObject; to: KubeObject; byController?: boolean; warnings: number }>([
  { rule: 'that takes back what the autoscaler set', from: deployment(3), to: deployment(1), warnings: 1 },
  { rule: 'of the autoscaler', from: deployment(3), to: deployment(1), byController: true, warnings: 0 },
  { rule: 'that creates a pool', to: deployment(1), warnings: 0 },
  { rule: 'of no pool', from: deployment(3, {}), to: deployment(1, {}), warnings: 0 },
  { rule: 'to more replicas', from: deployment(3), to: deployment(5), warnings: 0 },
  {
    rule: 'to what the same user set',
    from: deployment(3, { ...sizes, 'capstan.dev/replicas-set-by': 'argo' }),
    to: deployment(1),
    warnings: 0,
  },
])('a change $rule gets $warnings warnings', ({ from, to, byController, warnings }) =>
  expect(warned(from, to, byController)).toBe(warnings));
