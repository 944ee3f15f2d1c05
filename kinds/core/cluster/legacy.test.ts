import { describe, expect, it } from 'vitest';
import { awsCluster, cluster, controlPlane, gone, is, machine, plan } from './cluster.fixture.ts';
import type { Observed } from './observe.ts';

/** `Type=Status`, with severity and reason if there are any. */
const told = (over: Partial<Observed>): string[] => {
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

describe('what a Cluster says to readers of v1beta1', () => {
  it.each<{ rule: string; given: Partial<Observed>; says: string[] }>([
    {
      rule: 'that all of it is ready',
      given: {},
      says: ['Ready=True', 'ControlPlaneInitialized=True', 'ControlPlaneReady=True', 'InfrastructureReady=True Ready'],
    },
    {
      rule: 'what its infrastructure says, as severely',
      given: { infrastructure: is(awsCluster({ status: { conditions: [failing] } })) },
      says: [
        'Ready=False Error VpcFailed',
        'ControlPlaneInitialized=True',
        'ControlPlaneReady=True',
        'InfrastructureReady=False Error VpcFailed',
      ],
    },
    {
      rule: 'that it waits, for parts that have said nothing yet',
      given: { infrastructure: is(awsCluster({ status: {} })), controlPlane: notYet },
      says: [
        'Ready=False Info WaitingForControlPlane',
        'ControlPlaneInitialized=False Info WaitingForControlPlaneProviderInitialized',
        'ControlPlaneReady=False Info WaitingForControlPlane',
        'InfrastructureReady=False Info WaitingForInfrastructure',
      ],
    },
    { rule: 'nothing of parts that do not exist', given: { infrastructure: gone, controlPlane: gone }, says: [] },
    {
      rule: 'what was seen last of a part that cannot be read',
      given: {
        cluster: { ...cluster(), status: before.status! },
        infrastructure: { state: 'unreadable', reason: 'busy' },
      },
      says: ['Ready=True', 'ControlPlaneInitialized=True', 'ControlPlaneReady=True', 'InfrastructureReady=True'],
    },
    {
      rule: 'that parts of a cluster that goes are gone',
      given: { cluster: cluster({}, true), controlPlane: gone, infrastructure: gone },
      says: [
        'Ready=False Info Deleted',
        'ControlPlaneReady=False Info Deleted',
        'InfrastructureReady=False Info Deleted',
      ],
    },
    {
      rule: 'that a control plane of no kind is there with its first Node',
      given: {
        cluster: withoutRefs,
        infrastructure: undefined,
        controlPlane: undefined,
        machines: is([{ ...machine('cp', true), status: { nodeRef: { name: 'n' } } }]),
      },
      says: ['Ready=True', 'ControlPlaneInitialized=True', 'InfrastructureReady=True'],
    },
    {
      rule: 'that it waits for that Node',
      given: { cluster: withoutRefs, infrastructure: undefined, controlPlane: undefined },
      says: ['Ready=True', 'ControlPlaneInitialized=False Info MissingNodeRef', 'InfrastructureReady=True'],
    },
  ])('$rule', ({ given, says }) => expect(told(given)).toEqual(says));
});
