import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../machinery/api/errors.ts';
import type { Admission } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { notActedOn, warnNotActedOn } from '../common/not-acted-on.ts';
import { cluster } from './index.ts';

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

describe('what is not acted on', () => {
  it('is said to whoever writes a topology', () => {
    expect(warnNotActedOn(of({ topology }))).toEqual([
      'spec.topology: Managed topologies: accepted and stored, but not acted on',
    ]);
    expect(warnNotActedOn(of(both))).toEqual([]);
  });
  it('is said of machines of pools', () => {
    const machine = {
      ...of({}),
      kind: 'Machine',
      metadata: { name: 'm', labels: { 'cluster.x-k8s.io/pool-name': 'p' } },
    };
    expect(notActedOn(machine).map(({ feature }) => feature)).toEqual(['Machines of MachinePools']);
  });
});
