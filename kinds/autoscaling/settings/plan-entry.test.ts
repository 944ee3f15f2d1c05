import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../../machinery/api/errors.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { boundsOf } from '../../common/autoscale/annotations.ts';
import { declaredBy, type PlanWithPools, type PoolEntry, unappliedIn } from '../../common/autoscale/plan-entry.ts';
import { validatePool } from './validate-pool.ts';

type Given = Record<string, string>;
type Entry = Omit<PoolEntry, 'name'>;

const own = (min: string, max: string): Given => ({
  'capstan.dev/autoscale-min': min,
  'capstan.dev/autoscale-max': max,
});
const theirs: Given = {
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1',
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '9',
};
const enabled = (value: string): Given => ({ 'capstan.dev/autoscale': value });
const schedule = (text: string): Given => ({ 'capstan.dev/autoscale-schedule': text });

const deployment = (annotations: Given = {}, clusterName = 'c', namespace = 'default'): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'workers', namespace, annotations },
  spec: { clusterName },
});
const plan = (entry: Entry | undefined, name = 'workers'): PlanWithPools => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ScalingPlan',
  metadata: { name: 'c', namespace: 'default' },
  spec: { clusterName: 'c', ...(entry && { pools: [{ name, ...entry }] }) },
});

describe('a pool whose settings are in the plan', () => {
  it.each<{
    rule: string;
    entry?: Entry;
    name?: string;
    given?: Given;
    of?: [string, string];
    bounds: object | undefined;
  }>([
    { rule: 'opts in there', entry: { min: 0, max: 5 }, bounds: { min: 0, max: 5 } },
    {
      rule: 'may say the same in annotations',
      entry: { min: 0, max: 5 },
      given: own('0', '5'),
      bounds: { min: 0, max: 5 },
    },
    { rule: 'opts out there', entry: { enabled: false }, given: own('0', '5'), bounds: undefined },
    { rule: 'opts out by an annotation', entry: { min: 0, max: 5 }, given: enabled('false'), bounds: undefined },
    {
      rule: "hands cluster-autoscaler's sizes over there",
      entry: { enabled: true },
      given: theirs,
      bounds: { min: 1, max: 9 },
    },
    {
      rule: "leaves cluster-autoscaler's sizes alone",
      entry: { min: 0, max: 5 },
      given: theirs,
      bounds: { min: 0, max: 5 },
    },
    { rule: 'has another name', entry: { min: 0, max: 5 }, name: 'others', bounds: undefined },
    { rule: 'is of another cluster', entry: { min: 0, max: 5 }, of: ['d', 'default'], bounds: undefined },
    { rule: 'is of another namespace', entry: { min: 0, max: 5 }, of: ['c', 'other'], bounds: undefined },
    { rule: 'has annotations alone', given: own('1', '2'), bounds: { min: 1, max: 2 } },
  ])('$rule', ({ entry, name, given, of = [], bounds }) =>
    expect(boundsOf(declaredBy(plan(entry, name), deployment(given, ...of)))).toEqual(bounds));

  it('has the options of both places, as annotations', () =>
    expect(
      declaredBy(
        plan({ min: 0, max: 5, removedPercent: 20, consolidate: 'true' }),
        deployment(schedule('0 8 * * * duration=1h min=2')),
      ).metadata.annotations,
    ).toEqual({
      ...own('0', '5'),
      ...schedule('0 8 * * * duration=1h min=2'),
      'capstan.dev/autoscale-removed-percent': '20',
      'capstan.dev/autoscale-consolidate': 'true',
    }));
});

const conflictMessage = 'the pool is left alone until one is removed';
describe('an entry of the plan', () => {
  it.each<{ rule: string; entry: Entry; name?: string; given?: Given; says: string[] }>([
    { rule: 'of a pool is applied', entry: { min: 0, max: 5 }, says: [] },
    { rule: 'of a pool that opted out is, too', entry: { min: 0, max: 5 }, given: enabled('false'), says: [] },
    {
      rule: 'of no pool is not',
      entry: { min: 0, max: 5 },
      name: 'gone',
      says: ['NoMachineDeployment: spec.pools[gone] names no MachineDeployment of this cluster'],
    },
    {
      rule: 'without sizes is not, where nothing else says them',
      entry: { consolidate: 'true' },
      says: ['NoSizes: spec.pools[workers] is not scaled without sizes: set min and max'],
    },
    {
      rule: 'without sizes is applied, where annotations say them',
      entry: { consolidate: 'true' },
      given: own('0', '1'),
      says: [],
    },
    {
      rule: 'that an annotation contradicts is not',
      entry: { min: 2, max: 5 },
      given: own('1', '5'),
      says: [
        `Contradiction: spec.pools[workers].min is 2, but MachineDeployment default/workers says "1" in the annotation capstan.dev/autoscale-min: ${conflictMessage}`,
      ],
    },
    {
      rule: "that contradicts cluster-autoscaler's sizes is not, where an annotation hands them over",
      entry: { min: 1, max: 5 },
      given: { ...theirs, ...enabled('true') },
      says: [
        `Contradiction: spec.pools[workers].max is 5, but MachineDeployment default/workers says "9" in the annotation cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: ${conflictMessage}`,
      ],
    },
    {
      rule: 'that turns on what an annotation turns off is not',
      entry: { enabled: true, min: 1, max: 5 },
      given: enabled('false'),
      says: [
        `Contradiction: spec.pools[workers].enabled is true, but MachineDeployment default/workers says "false" in the annotation capstan.dev/autoscale: ${conflictMessage}`,
      ],
    },
    {
      rule: 'that differs in spaces and separators is applied',
      entry: { min: 0, max: 5, schedule: '0 8 * * * duration=1h  min=2\n0 9 * * * duration=1h max=1\n' },
      given: schedule(' 0 8 * * * duration=1h min=2; 0 9 * * * duration=1h max=1'),
      says: [],
    },
  ])('$rule', ({ entry, name, given, says }) =>
    expect(
      unappliedIn(plan(entry, name), [deployment(given)]).map(({ reason, message }) => `${reason}: ${message}`),
    ).toEqual(says));
});

describe('admission of a MachineDeployment', () => {
  const at = (name: string) => `metadata.annotations[capstan.dev/autoscale-${name}]`;
  it.each<{ rule: string; entry?: Entry; given?: Given; faults: string[] }>([
    { rule: 'accepts a pool that the plan declares', entry: { min: 0, max: 5 }, faults: [] },
    { rule: 'accepts the same settings twice', entry: { min: 0, max: 5 }, given: own('0', '5'), faults: [] },
    { rule: 'accepts an opt-out', entry: { min: 0, max: 5 }, given: enabled('false'), faults: [] },
    {
      rule: 'accepts options of sizes in the plan',
      entry: { min: 0, max: 5 },
      given: schedule('0 8 * * * duration=1h min=2'),
      faults: [],
    },
    {
      rule: 'refuses options without sizes in either place',
      entry: { consolidate: 'true' },
      given: schedule('0 8 * * * duration=1h min=2'),
      faults: [`${at('min')}: Required value: capstan.dev/autoscale-schedule is an option of a pool with sizes`],
    },
    {
      rule: 'refuses another value than that of the plan, and names both',
      entry: { min: 2, max: 5 },
      given: own('1', '5'),
      faults: [
        `${at('min')}: Invalid value: "1": ScalingPlan default/c says 2 in spec.pools[workers].min: keep one of the two`,
      ],
    },
    {
      rule: 'refuses a schedule that contradicts sizes in the plan',
      entry: { min: 3, max: 5 },
      given: schedule('0 8 * * * duration=1h max=2'),
      faults: [
        `${at('schedule')}[0].max: Invalid value: "2": its maximum of 2 must not be below its minimum of 3; the minimum is the pool's own: write min=2 max=2`,
      ],
    },
    {
      rule: 'refuses sizes that contradict a schedule in the plan',
      entry: { schedule: '0 8 * * * duration=1h max=2' },
      given: own('3', '5'),
      faults: [
        `metadata.annotations: Invalid value: "2": contradict ScalingPlan default/c, spec.pools[workers].schedule[0].max: its maximum of 2 must not be below its minimum of 3; the minimum is the pool's own: write min=2 max=2`,
      ],
    },
    {
      rule: 'refuses malformed settings as without a plan',
      given: own('5', '1'),
      faults: [`${at('max')}: Invalid value: "1": must be greater than or equal to capstan.dev/autoscale-min`],
    },
  ])('$rule', ({ entry, given, faults }) =>
    expect(
      validatePool(deployment(given), plan(entry)).map((fault) => `${fault.field}: ${fieldMessage(fault)}`),
    ).toEqual(faults));
});
