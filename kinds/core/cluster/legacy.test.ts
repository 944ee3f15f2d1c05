import { describe, expect, it } from 'vitest';
import { awsCluster, cluster, controlPlane, gone, is, machine, plan } from './cluster.fixture.ts';
import type { Observed } from './observe.ts';

/** `Type=Status`, with severity and reason where they exist. */
const reportedBy = (over: Partial<Observed>): string[] => {
  const status = plan(over).status as { deprecated?: { v1beta1: { conditions: Record<string, string>[] } } };
  return (status.deprecated?.v1beta1.conditions ?? []).map(({ type, status, severity, reason }) =>
    [`${type}=${status}`, severity, reason].filter(Boolean).join(' '),
  );
};

const failing = { type: 'Ready', status: 'False', severity: 'Error', reason: 'VpcFailed', message: 'no more VPCs' };
const notYet = is(controlPlane({ status: {} }));
const before = cluster({
  status: {
    deprecated: { v1beta1: { conditions: [{ type: 'InfrastructureReady', status: 'True', lastTransitionTime: 't' }] } },
  },
});
const withoutRefs = cluster({ spec: {} });

describe('the v1beta1 conditions of a Cluster', () => {
  it.each<{ rule: string; given: Partial<Observed>; says: string[] }>([
    {
      rule: 'report readiness of all parts',
      given: {},
      says: ['Ready=True', 'ControlPlaneInitialized=True', 'ControlPlaneReady=True', 'InfrastructureReady=True Ready'],
    },
    {
      rule: 'repeat the condition of the infrastructure with its severity',
      given: { infrastructure: is(awsCluster({ status: { conditions: [failing] } })) },
      says: [
        'Ready=False Error VpcFailed',
        'ControlPlaneInitialized=True',
        'ControlPlaneReady=True',
        'InfrastructureReady=False Error VpcFailed',
      ],
    },
    {
      rule: 'wait for parts that have not reported yet',
      given: { infrastructure: is(awsCluster({ status: {} })), controlPlane: notYet },
      says: [
        'Ready=False Info WaitingForControlPlane',
        'ControlPlaneInitialized=False Info WaitingForControlPlaneProviderInitialized',
        'ControlPlaneReady=False Info WaitingForControlPlane',
        'InfrastructureReady=False Info WaitingForInfrastructure',
      ],
    },
    { rule: 'omit parts that do not exist', given: { infrastructure: gone, controlPlane: gone }, says: [] },
    {
      rule: 'keep the last state of an unreadable part',
      given: {
        cluster: { ...cluster(), status: before.status! },
        infrastructure: { state: 'unreadable', reason: 'busy' },
      },
      says: ['Ready=True', 'ControlPlaneInitialized=True', 'ControlPlaneReady=True', 'InfrastructureReady=True'],
    },
    {
      rule: 'report deleted parts of a Cluster in deletion',
      given: { cluster: cluster({}, true), controlPlane: gone, infrastructure: gone },
      says: [
        'Ready=False Info Deleted',
        'ControlPlaneReady=False Info Deleted',
        'InfrastructureReady=False Info Deleted',
      ],
    },
    {
      rule: 'report a control plane without an object as initialised with its first Node',
      given: {
        cluster: withoutRefs,
        infrastructure: undefined,
        controlPlane: undefined,
        machines: is([{ ...machine('cp', true), status: { nodeRef: { name: 'n' } } }]),
      },
      says: ['Ready=True', 'ControlPlaneInitialized=True', 'InfrastructureReady=True'],
    },
    {
      rule: 'wait for that Node',
      given: { cluster: withoutRefs, infrastructure: undefined, controlPlane: undefined },
      says: ['Ready=True', 'ControlPlaneInitialized=False Info MissingNodeRef', 'InfrastructureReady=True'],
    },
  ])('$rule', ({ given, says }) => expect(reportedBy(given)).toEqual(says));
});
