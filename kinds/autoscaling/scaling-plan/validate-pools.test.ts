import { expect, it } from 'vitest';
import { fieldMessage } from '../../../machinery/api/errors.ts';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { autoscale } from '../../common/autoscale/annotations.ts';
import { consolidateRule } from '../../common/autoscale/consolidate.ts';
import { scalingPlan } from './index.ts';
import { scalingPlanSpec } from './schema.ts';

const plan = (pools: object[]): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ScalingPlan',
  metadata: { name: 'c', namespace: 'default' },
  spec: { clusterName: 'c', pools },
});
const deployment = (annotations: Record<string, string>, clusterName = 'c'): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'workers', namespace: 'default', annotations },
  spec: { clusterName },
});
const sizes = (min: string, max: string) => ({ 'capstan.dev/autoscale-min': min, 'capstan.dev/autoscale-max': max });
const schedule = '0 8 * * * duration=1h min=2 max=3';

it('has a field for every annotation of a pool', () =>
  expect(Object.keys(scalingPlanSpec.json.properties!.pools!.items!.properties!).sort()).toEqual(
    ['name', ...Object.keys(autoscale)].sort(),
  ));

type Case = { rule: string; entry: object; given?: KubeObject; old?: object; faults: string[] };
it.each<Case>([
  { rule: 'accepts sizes', entry: { min: 0, max: 5 }, faults: [] },
  {
    rule: 'accepts all options, before their pool exists',
    entry: {
      min: 0,
      max: 5,
      schedule,
      alarms: 'queue-deep min=3 max=9',
      headroom: 'pods=3 cpu=2 memory=4Gi',
      consolidate: 'saving=10% payback=1h',
      startupTaints: 'example.com/wait',
      removedPercent: 20,
    },
    faults: [],
  },
  { rule: 'accepts options of sizes elsewhere', entry: { schedule }, faults: [] },
  {
    rule: 'refuses half of the sizes',
    entry: { min: 1 },
    faults: ['.max: Required value: min and max must be set together'],
  },
  {
    rule: 'refuses sizes in the wrong order',
    entry: { min: 5, max: 1 },
    faults: ['.max: Invalid value: 1: must be greater than or equal to min'],
  },
  {
    rule: 'refuses what the parsers of the annotations refuse',
    entry: { min: 4, max: 5, schedule: `${schedule}\n0 9 * * * duration=1h max=2`, consolidate: 'maybe' },
    faults: [
      `.schedule[1].max: Invalid value: "2": its maximum of 2 must not be below its minimum of 4; the minimum is the pool's own: write min=2 max=2`,
      `.consolidate: Invalid value: "maybe": ${consolidateRule}`,
    ],
  },
  {
    rule: 'accepts what the MachineDeployment says, too',
    entry: { min: 0, max: 5 },
    given: deployment(sizes('0', '5')),
    faults: [],
  },
  {
    rule: 'refuses another value than that of an annotation, and names both',
    entry: { min: 2, max: 5 },
    given: deployment(sizes('1', '5')),
    faults: [
      '.min: Invalid value: 2: MachineDeployment default/workers says "1" in the annotation capstan.dev/autoscale-min: keep one of the two',
    ],
  },
  {
    rule: 'accepts other values than those of another cluster',
    entry: { min: 2, max: 5 },
    given: deployment(sizes('1', '5'), 'd'),
    faults: [],
  },
  {
    rule: 'refuses a schedule that contradicts annotated sizes',
    entry: { schedule: '0 9 * * * duration=1h max=2' },
    given: deployment(sizes('3', '5')),
    faults: [
      `.schedule[0].max: Invalid value: "2": contradicts MachineDeployment default/workers: its maximum of 2 must not be below its minimum of 3; the minimum is the pool's own: write min=2 max=2`,
    ],
  },
  {
    rule: 'refuses sizes that contradict an annotated schedule',
    entry: { min: 3, max: 5 },
    given: deployment({ 'capstan.dev/autoscale-schedule': '0 9 * * * duration=1h max=2' }),
    faults: [
      `: Invalid value: "2": contradicts MachineDeployment default/workers, metadata.annotations[capstan.dev/autoscale-schedule][0].max: its maximum of 2 must not be below its minimum of 3; the minimum is the pool's own: write min=2 max=2`,
    ],
  },
  {
    rule: 'accepts a contradiction that is stored, so that other fields can be changed',
    entry: { min: 2, max: 5 },
    given: deployment(sizes('1', '5')),
    old: { min: 2, max: 5 },
    faults: [],
  },
])('$rule', ({ entry, given, old, faults }) => {
  const admission = {
    operation: old ? 'update' : 'create',
    ...(old && { old: plan([{ name: 'workers', ...old }]) }),
    ...(given && { related: [given] }),
  } as Admission;
  const found = scalingPlan.validate!(plan([{ name: 'workers', ...entry }]), admission);
  expect(found.map((fault) => `${fault.field}: ${fieldMessage(fault)}`)).toEqual(
    faults.map((fault) => `spec.pools[0]${fault}`),
  );
});
