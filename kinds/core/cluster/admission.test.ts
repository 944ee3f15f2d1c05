import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../../machinery/api/errors.ts';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { cluster } from './index.ts';
import { warnOfOlderForm } from './older-form.ts';

const reference = (kind: string) => ({ apiGroup: 'x.cluster.x-k8s.io', kind, name: 'c' });
const both = { controlPlaneRef: reference('Plane'), infrastructureRef: reference('Infra') };
const topology = { classRef: { name: 'class' }, version: 'v1.35.0' };
const of = (spec: object, name = 'c'): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name, namespace: 'default' },
  spec,
});
const faults = (object: KubeObject, old?: KubeObject) => {
  const admission: Admission = {
    operation: old ? 'update' : 'create',
    ...(old && { old }),
    user: { username: '', groups: [] },
    dryRun: false,
  };
  return cluster.validate?.(object, admission).map((fault) => `${fault.field}: ${fieldMessage(fault)}`);
};

describe('validation', () => {
  it.each([
    { rule: 'accepts a valid Cluster', object: of(both), is: [] },
    {
      rule: 'requires a reference',
      object: of({ paused: true }),
      is: ['spec: Forbidden: one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set'],
    },
    {
      rule: 'rejects the removal of a reference',
      object: of({ controlPlaneRef: both.controlPlaneRef }),
      old: of(both),
      is: ['spec.infrastructureRef: Forbidden: cannot be removed'],
    },
    {
      rule: 'requires valid CIDR blocks',
      object: of({ ...both, clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/8', '10.0.0.0/40', 'fd00::/8'] } } }),
      is: ['spec.clusterNetwork.pods.cidrBlocks[1]: Invalid value: "10.0.0.0/40": invalid CIDR address: 10.0.0.0/40'],
    },
    {
      rule: 'requires a version in a topology',
      object: of({ topology: { ...topology, version: 'v1.35' } }),
      is: ['spec.topology.version: Invalid value: "v1.35": version must be a valid semantic version'],
    },
    {
      rule: 'rejects the removal of a topology',
      object: of(both),
      old: of({ ...both, topology }),
      is: ['spec.topology: Forbidden: cannot be removed from an existing Cluster'],
    },
    {
      rule: 'rejects a topology that is added later',
      object: of({ ...both, topology }),
      old: of(both),
      is: ['spec.topology.class: Forbidden: classRef cannot be set on an existing Cluster'],
    },
  ])('$rule', ({ object, old, is }) => expect(faults(object, old)).toEqual(is));
  it('requires a name that is a valid label value', () => {
    expect(faults(of(both, 'a.'.repeat(40)))?.[0]).toContain(
      'must be a valid label value must be no more than 63 characters',
    );
  });
});

const annotated = (annotations: Record<string, string | undefined>): KubeObject => {
  const object = of(both);
  return { ...object, metadata: { ...object.metadata, annotations: annotations as Record<string, string> } };
};
const at = (name: string) => `metadata.annotations[capstan.dev/${name}]`;

describe('the annotations that configure operations', () => {
  it.each([
    { rule: 'a duration', set: { 'create-deadline': '1h30m' } },
    { rule: 'a fraction of a second', set: { 'create-deadline': '0.5s' } },
    { rule: 'the policy TearDown', set: { 'on-create-failure': 'TearDown' } },
    { rule: 'the policy Hold', set: { 'on-create-failure': 'Hold' } },
    { rule: 'the policy Retry', set: { 'on-create-failure': 'Retry' } },
    { rule: 'a time without progress', set: { 'upgrade-deadline': '45m' } },
    { rule: 'no soak', set: { 'upgrade-soak': '0s' } },
    { rule: 'steps to pause before', set: { 'upgrade-pause': 'ControlPlane, WorkersCanary' } },
    { rule: 'the policy RollBack', set: { 'on-upgrade-failure': 'RollBack' } },
    {
      rule: 'a negative soak',
      set: { 'upgrade-soak': '-1s' },
      is: [`${at('upgrade-soak')}: Invalid value: "-1s": must not be negative`],
    },
    {
      rule: 'a step that does not exist',
      set: { 'upgrade-pause': 'Workers,Dance' },
      is: [
        `${at('upgrade-pause')}: Unsupported value: "Dance": supported values: "Preflight", "Snapshot", "ControlPlaneFirst", "SoakControlPlane", "ControlPlane", "AddOns", "WorkersCanary", "SoakWorkers", "Workers", "Verify"`,
      ],
    },
    {
      rule: 'a policy of a create for an upgrade',
      set: { 'on-upgrade-failure': 'TearDown' },
      is: [`${at('on-upgrade-failure')}: Unsupported value: "TearDown": supported values: "RollBack", "Hold", "Retry"`],
    },
    { rule: 'a guarded rollback', set: { 'upgrade-rollback': 'Guarded' } },
    {
      rule: 'a rollback without guards',
      set: { 'upgrade-rollback': 'Always' },
      is: [`${at('upgrade-rollback')}: Unsupported value: "Always": supported values: "Guarded"`],
    },
    { rule: 'protection', set: { protected: 'true' } },
    { rule: 'no protection', set: { protected: 'false' } },
    { rule: 'any text to retry', set: { retry: '' } },
    {
      rule: 'not a duration',
      set: { 'create-deadline': '1d' },
      is: [`${at('create-deadline')}: Invalid value: "1d": must be a duration such as 1h30m`],
    },
    {
      rule: 'an empty duration',
      set: { 'create-deadline': '' },
      is: [`${at('create-deadline')}: Invalid value: "": must be a duration such as 1h30m`],
    },
    {
      rule: 'a duration beyond the range of dates',
      set: { 'create-deadline': '9999999999h' },
      is: [`${at('create-deadline')}: Invalid value: "9999999999h": must be a duration such as 1h30m`],
    },
    {
      rule: 'a zero duration',
      set: { 'create-deadline': '0s' },
      is: [`${at('create-deadline')}: Invalid value: "0s": must be greater than 0`],
    },
    {
      rule: 'a deadline in the past',
      set: { 'create-deadline': '-1h' },
      is: [`${at('create-deadline')}: Invalid value: "-1h": must be greater than 0`],
    },
    {
      rule: 'not a policy',
      set: { 'on-create-failure': 'teardown' },
      is: [`${at('on-create-failure')}: Unsupported value: "teardown": supported values: "TearDown", "Hold", "Retry"`],
    },
    {
      rule: 'not a boolean',
      set: { protected: 'yes' },
      is: [`${at('protected')}: Unsupported value: "yes": supported values: "true", "false"`],
    },
  ])('$rule: $set', ({ set, is = [] }) => {
    const object = annotated(
      Object.fromEntries(Object.entries(set).map(([name, value]) => [`capstan.dev/${name}`, value])),
    );
    expect(faults(object)).toEqual(is);
    expect(faults(object, of(both))).toEqual(is);
    expect(faults(object, object)).toEqual([]);
  });
  it('rejects the replacement of an invalid value by another', () => {
    const [old, next] = ['a', 'b'].map((value) => annotated({ 'capstan.dev/create-deadline': value }));
    expect(faults(next!, old)).toHaveLength(1);
  });
});

describe('protection', () => {
  it.each([
    { rule: 'is off by default', annotations: {}, refused: false },
    { rule: 'is on with the annotation', annotations: { 'capstan.dev/protected': 'true' }, refused: true },
    { rule: 'is off with the value false', annotations: { 'capstan.dev/protected': 'false' }, refused: false },
    {
      rule: 'does not apply to a Cluster that was moved away',
      annotations: { 'capstan.dev/protected': 'true', 'clusterctl.cluster.x-k8s.io/delete-for-move': '' },
      refused: false,
    },
  ])('$rule', ({ annotations, refused }) =>
    expect(cluster.refuseDelete?.(annotated(annotations)) !== undefined).toBe(refused));
  it('is refused on a Cluster in deletion', () => {
    const kept = annotated({ 'capstan.dev/protected': 'true' });
    const going = (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, deletionTimestamp: 'now' } });
    const warnings = (object: KubeObject, old: KubeObject) =>
      cluster.warn?.(object, { operation: 'update', old, user: { username: '', groups: [] }, dryRun: false });
    expect(warnings(going(kept), going(of(both)))).toEqual([
      'capstan.dev/protected: the Cluster is being deleted already, which cannot be taken back',
    ]);
    expect(warnings(going(kept), going(kept))).toEqual([]);
    expect(warnings(kept, of(both))).toEqual([]);
  });
  it('explains how to lift it', () => {
    expect(cluster.refuseDelete?.(annotated({ 'capstan.dev/protected': 'true' }))).toBe(
      'it is protected by the annotation capstan.dev/protected; to allow its deletion, run: kubectl annotate cluster/c capstan.dev/protected- -n default',
    );
  });
});

it.each([
  { rule: 'is its own infrastructure', spec: { ...both, infrastructureRef: both.controlPlaneRef }, warns: true },
  { rule: 'has an infrastructure', spec: both, warns: false },
  { rule: 'has neither', spec: { topology }, warns: false },
])('a Cluster whose control plane $rule', ({ spec, warns }) =>
  expect(warnOfOlderForm(of(spec))).toEqual(warns ? [expect.stringContaining('"capstan convert -f FILE"')] : []));
