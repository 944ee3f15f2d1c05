import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../../machinery/api/errors.ts';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { notActedOn } from '../../common/not-acted-on.ts';
import { poolNotActedOn } from '../machine/not-acted-on.ts';
import { cluster } from './index.ts';
import { warnUnheeded } from './not-acted-on.ts';

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
    { rule: 'a good one has no faults', object: of(both), is: [] },
    {
      rule: 'a cluster consists of something',
      object: of({ paused: true }),
      is: ['spec: Forbidden: one of spec.controlPlaneRef, spec.infrastructureRef or spec.topology must be set'],
    },
    {
      rule: 'parts are not taken away',
      object: of({ controlPlaneRef: both.controlPlaneRef }),
      old: of(both),
      is: ['spec.infrastructureRef: Forbidden: cannot be removed'],
    },
    {
      rule: 'ranges must be ranges',
      object: of({ ...both, clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/8', '10.0.0.0/40', 'fd00::/8'] } } }),
      is: ['spec.clusterNetwork.pods.cidrBlocks[1]: Invalid value: "10.0.0.0/40": invalid CIDR address: 10.0.0.0/40'],
    },
    {
      rule: 'a topology has a version',
      object: of({ topology: { ...topology, version: 'v1.35' } }),
      is: ['spec.topology.version: Invalid value: "v1.35": version must be a valid semantic version'],
    },
    {
      rule: 'a topology stays',
      object: of(both),
      old: of({ ...both, topology }),
      is: ['spec.topology: Forbidden: cannot be removed from an existing Cluster'],
    },
    {
      rule: 'and does not come later',
      object: of({ ...both, topology }),
      old: of(both),
      is: ['spec.topology.class: Forbidden: classRef cannot be set on an existing Cluster'],
    },
  ])('$rule', ({ object, old, is }) => expect(faults(object, old)).toEqual(is));
  it('names must be values of labels', () => {
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

describe('the annotations by which users set how operations go', () => {
  it.each([
    { rule: 'a duration', set: { 'create-deadline': '1h30m' } },
    { rule: 'a part of a second', set: { 'create-deadline': '0.5s' } },
    { rule: 'each policy', set: { 'on-create-failure': 'TearDown' } },
    { rule: 'each policy', set: { 'on-create-failure': 'Hold' } },
    { rule: 'each policy', set: { 'on-create-failure': 'Retry' } },
    { rule: 'protected or not', set: { protected: 'true' } },
    { rule: 'protected or not', set: { protected: 'false' } },
    { rule: 'any text to retry', set: { retry: '' } },
    {
      rule: 'no duration',
      set: { 'create-deadline': '1d' },
      is: [`${at('create-deadline')}: Invalid value: "1d": must be a duration such as 1h30m`],
    },
    {
      rule: 'nothing',
      set: { 'create-deadline': '' },
      is: [`${at('create-deadline')}: Invalid value: "": must be a duration such as 1h30m`],
    },
    {
      rule: 'longer than any date',
      set: { 'create-deadline': '9999999999h' },
      is: [`${at('create-deadline')}: Invalid value: "9999999999h": must be a duration such as 1h30m`],
    },
    {
      rule: 'no time at all',
      set: { 'create-deadline': '0s' },
      is: [`${at('create-deadline')}: Invalid value: "0s": must be greater than 0`],
    },
    {
      rule: 'a deadline in the past',
      set: { 'create-deadline': '-1h' },
      is: [`${at('create-deadline')}: Invalid value: "-1h": must be greater than 0`],
    },
    {
      rule: 'no policy',
      set: { 'on-create-failure': 'teardown' },
      is: [`${at('on-create-failure')}: Unsupported value: "teardown": supported values: "TearDown", "Hold", "Retry"`],
    },
    {
      rule: 'neither true nor false',
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
  it('a bad value is not replaced by another', () => {
    const [old, next] = ['a', 'b'].map((value) => annotated({ 'capstan.dev/create-deadline': value }));
    expect(faults(next!, old)).toHaveLength(1);
  });
});

describe('protection', () => {
  it.each([
    { rule: 'nothing protects by itself', annotations: {}, refused: false },
    { rule: 'protected', annotations: { 'capstan.dev/protected': 'true' }, refused: true },
    { rule: 'not protected', annotations: { 'capstan.dev/protected': 'false' }, refused: false },
    {
      rule: 'what was moved away is no cluster of ours anymore',
      annotations: { 'capstan.dev/protected': 'true', 'clusterctl.cluster.x-k8s.io/delete-for-move': '' },
      refused: false,
    },
  ])('$rule', ({ annotations, refused }) =>
    expect(cluster.refuseDelete?.(annotated(annotations)) !== undefined).toBe(refused));
  it('says when it comes too late', () => {
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
  it('says how it is lifted', () => {
    expect(cluster.refuseDelete?.(annotated({ 'capstan.dev/protected': 'true' }))).toBe(
      'it is protected by the annotation capstan.dev/protected; to allow its deletion, run: kubectl annotate cluster/c capstan.dev/protected- -n default',
    );
  });
});

describe('what is not acted on', () => {
  it('warns a client that writes a topology', () => {
    expect(warnUnheeded(of({ topology }))).toEqual([
      'spec.topology: Managed topologies: accepted and stored, but not acted on',
    ]);
    expect(warnUnheeded(of(both))).toEqual([]);
  });
  it('is said of machines of pools', () => {
    const machine = {
      ...of({}),
      kind: 'Machine',
      metadata: { name: 'm', labels: { 'cluster.x-k8s.io/pool-name': 'p' } },
    };
    expect(notActedOn(poolNotActedOn, machine).map(({ feature }) => feature)).toEqual(['Machines of MachinePools']);
  });
});
